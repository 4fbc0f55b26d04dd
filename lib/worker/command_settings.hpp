// SPDX-License-Identifier: Apache-2.0
// A trial of kind `command` or `python` as it is configured, and its program.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "programs/talk.hpp"
#include "trial/artifacts.hpp"
#include "trial/runner.hpp"

namespace dlrun::worker {

/// Function of a trial of kind `python`.
struct PythonFunction {
  std::string interpreter;
  std::string file;  ///< an absolute path
  std::string name;
  bool is_forked = true;  ///< each trial has a process of its own below an interpreter
};

struct CommandSettings {
  std::vector<std::string> command;  ///< empty where there is a function
  std::optional<PythonFunction> function;
  Json params = Json::object();  ///< parameters of one value, by name; null: one that is not active
  std::map<std::string, std::string> env;
  std::map<std::string, std::string> regexes;
  int first_replicate = 1;
  bool shell = false;
  std::string folder;
  double grace = 5;         ///< seconds between SIGTERM and SIGKILL
  std::int64_t epochs = 0;  ///< count in the trial itself: a variant of an ablation may have fewer than the piece
  std::int64_t largest_checkpoint = 0;  ///< bytes
};

/// @throws Error(usage) for a malformed one
CommandSettings read_command(const Json& trial);

/// The interpreter below which each trial is a process. REQUIRES: settings.function
programs::Launch interpreter(const CommandSettings& settings, int threads);

/// Files that a program begins with; empty: none.
struct FirstFiles {
  std::string resume;            ///< the trial's own checkpoint, or under pbt a donor's, that it goes on from
  std::int64_t resume_step = 0;  ///< steps behind it
  std::string init;              ///< another trial's, for the weights before the first step
};

/// The program of a trial, for a keeper.
programs::Start start_of(const trial::WorkSetup& setup, const trial::PieceOrder& order, const CommandSettings& settings,
                         const FirstFiles& files);

/// Writes the file of parameters that the program finds in its folder. Cells of an ablation are not among them.
void write_params(const trial::WorkSetup& setup, const trial::PieceOrder& order, const CommandSettings& settings);

}  // namespace dlrun::worker
