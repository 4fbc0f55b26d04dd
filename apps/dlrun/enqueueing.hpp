// SPDX-License-Identifier: Apache-2.0
// A trial with given values, asked for by a person or by an agent.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace dlrun::cli {

struct Wanted {
  std::string study;               ///< a study in the store
  std::vector<std::string> words;  ///< NAME=VALUE
  std::string note = {};           ///< added to the study; empty: none
};

struct Enqueued {
  bool is_running = false;  ///< a driver took it
  std::string verb;         ///< with which the study goes on otherwise
};

/// The study's next trial gets these values. @throws Error(usage) for values that are not of its space, or that a
/// trial has
Enqueued enqueue(const std::filesystem::path& store, const Wanted& wanted);

}  // namespace dlrun::cli
