// SPDX-License-Identifier: Apache-2.0
// `dlrun plugins test NAME`
#pragma once
#include <string>
#include <vector>

namespace dlrun::cli {

class Console;

/// A plugin to be tested, as the command line names it.
struct PluginWords {
  std::string name;
  std::vector<std::string> settings;  ///< key=value of its section
  std::string study;                  ///< for a format: the file whose trial.data names its files; empty: settings do
};

/// Runs the contract tests of a plugin and prints a table.
/// @return 1 if one of them failed. @throws Error(usage) where there is no such plugin, or for a wrong setting;
/// Error(no_worker) for a kind that workers run, where there is none
int test_plugin(const PluginWords& words, Console& console);

}  // namespace dlrun::cli
