// SPDX-License-Identifier: Apache-2.0
// A plugin's section as words of the command line say it.
#pragma once
#include <string>
#include <vector>

#include "plugin/manifest.hpp"

namespace dlrun::cli {

/// Value of a setting: JSON, and text where it is none.
Json setting_value(const std::string& text);

/// {op: NAME, key: value} with the manifest's defaults. @param settings  key=value
/// @param form  how a setting is given, for the help: "--set "
/// @throws Error(usage) for an unknown key, a wrong value, or a required key without one
Json plugin_section(const plugin::Manifest& manifest, const std::vector<std::string>& settings,
                    const std::string& form);

}  // namespace dlrun::cli
