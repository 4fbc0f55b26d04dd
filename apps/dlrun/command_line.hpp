// SPDX-License-Identifier: Apache-2.0
// Runs a command line: finds the verb, parses what follows, runs it, prints what goes wrong, returns an exit code.
#pragma once
#include <string>
#include <vector>

namespace dlrun::cli {

/// @param words  after the program's name
/// @return the process's exit code (conventions.md, Command line)
int run_command_line(const std::vector<std::string>& words);

}  // namespace dlrun::cli
