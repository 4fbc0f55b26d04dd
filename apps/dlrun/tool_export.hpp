// SPDX-License-Identifier: Apache-2.0
// dlrun export --tensorboard | --mlflow | --csv DIR [STUDY…]: studies as folders for other tools.
#pragma once
#include <string>
#include <vector>

#include "verb.hpp"

namespace dlrun::cli {

class Arguments;
class Console;

/// Adds the options that name a tool, before --store.
std::vector<Option> with_tool_options(std::vector<Option> options);

/// Whether the kind of export is one of them.
bool is_tool(const std::string& what);

/// Writes the folder and prints how to open it.
/// @throws Error(usage) for options of other exports, or a folder that may not be replaced.
int export_for_tool(const std::string& what, const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
