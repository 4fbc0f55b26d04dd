// SPDX-License-Identifier: Apache-2.0
// A program that draws, as a child.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace dlrun::plot {

/// Result and output of a program.
struct Said {
  bool is_fine = false;  ///< the program ended by itself, with 0
  std::string out, error;
};

/// Runs a program to its end, without a shell, with `input`. Past a minute it is killed. nullopt: PATH has no such one.
/// @param arguments  the first is its name
/// @throws Error(outside) where it cannot be started
std::optional<Said> run_program(std::vector<std::string> arguments, const std::string& input);

}  // namespace dlrun::plot
