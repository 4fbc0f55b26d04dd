// SPDX-License-Identifier: Apache-2.0
// `dlrun plugins test NAME`
#pragma once
#include <string>
#include <vector>

namespace dlrun::cli {

class Console;

/// Runs the contract tests of a plugin of the driver and prints a table. @param settings  key=value of its section
/// @return 1 if one of them failed. @throws Error(usage) where there is no such plugin, or for a wrong setting
int test_plugin(const std::string& name, const std::vector<std::string>& settings, Console& console);

}  // namespace dlrun::cli
