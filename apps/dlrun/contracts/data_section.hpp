// SPDX-License-Identifier: Apache-2.0
// The section `data:` by which a format is tested.
#pragma once
#include <string>
#include <vector>

#include "plugin/manifest.hpp"

namespace dlrun::cli {

/// trial.data of a study, with settings in the place of its values; without a study the settings alone. In its normal
/// form, with the absolute paths of its files.
/// @param settings  key=value: the plugin's own keys, and path, inputs, targets, … of the section
/// @param study     a file, or empty
/// @throws Error(usage) for a study of another format, an unknown key or a wrong value, and for a missing file
Json data_section(const plugin::Manifest& manifest, const std::vector<std::string>& settings, const std::string& study);

}  // namespace dlrun::cli
