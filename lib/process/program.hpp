// SPDX-License-Identifier: Apache-2.0
// A program to be started.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace dlrun::process {

/// A descriptor of ours that the program gets under another number.
struct Passed {
  int ours = -1;  ///< -1: /dev/null, to be read
  int theirs = 0;
};

enum class Group {
  ours,
  own,     ///< a process group, which can be killed as one
  session  ///< likewise, and neither Ctrl-C nor a hang-up of our terminal reaches it
};

struct Program {
  std::vector<std::string> arguments;                        ///< [0] is searched in PATH unless it has a slash
  std::optional<std::vector<std::string>> environment = {};  ///< complete, NAME=value; nullopt: ours
  std::string folder = {};                                   ///< working directory; empty: ours
  std::vector<Passed> descriptors = {};                      ///< beside these it has our 0, 1 and 2
  Group group = Group::ours;
  bool dies_with_us = false;              ///< SIGKILL when the thread that started it ends
  bool unblocks_signals = false;          ///< no signal is blocked in it; false: those that we block
  std::vector<int> default_signals = {};  ///< have their default effect, even if we ignore them
};

}  // namespace dlrun::process
