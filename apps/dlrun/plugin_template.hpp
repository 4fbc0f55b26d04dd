// SPDX-License-Identifier: Apache-2.0
// Templates of plugins, files in templates/plugins, and the folder of the package that builds them.
#pragma once
#include <filesystem>
#include <string>

namespace dlrun::cli {

class Arguments;
class Console;

/// Writes the template of a kind under the plugin's name, to --output or to a folder of that name.
/// @throws Error(usage) for an unknown kind, a kind without a template, a wrong name, and a folder that is there
int write_plugin(const std::string& kind, const std::string& name, const Arguments& arguments, Console& console);

/// Prints the folder of dlrunConfig.cmake, for -Ddlrun_DIR. @throws Error(usage) where it is missing
int print_package(Console& console);

/// The kinds that `plugins new` can write: "data, exporter, …".
std::string kinds_with_template();

}  // namespace dlrun::cli
