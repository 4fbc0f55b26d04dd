// SPDX-License-Identifier: Apache-2.0
// A program that is asked: a text to its standard input, its standard output as the answer.
#pragma once
#include <chrono>
#include <string>
#include <vector>

namespace dlrun::cli {

struct AskedProgram {
  std::vector<std::string> arguments;    ///< [0] is searched in PATH
  std::vector<std::string> environment;  ///< complete, NAME=value
  std::chrono::seconds timeout{120};
  std::size_t limit = 1u << 20;  ///< bytes of an answer
};

/// Runs it once, in an empty folder and a process group of its own; both are gone when this returns. What it says on
/// standard error is passed on.
/// @throws Error(usage) where it cannot be started, ends with another code than 0, says too much or takes too long
std::string ask(const AskedProgram& program, const std::string& question);

}  // namespace dlrun::cli
