// SPDX-License-Identifier: Apache-2.0
// A `command` trial as it is configured, and its program.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "programs/talk.hpp"
#include "trial/artifacts.hpp"
#include "trial/runner.hpp"

namespace dlrun::worker {

struct CommandSettings {
  std::vector<std::string> command;
  std::map<std::string, std::string> env;
  std::map<std::string, std::string> regexes;
  int first_replicate = 1;
  bool shell = false;
  std::string folder;
  double grace = 5;  ///< seconds between SIGTERM and SIGKILL
  std::int64_t epochs = 1;
  std::int64_t largest_checkpoint = 0;  ///< bytes
};

/// @throws Error(usage) for a malformed one
CommandSettings read_command(const Json& trial);

/// The program of a trial, for a keeper.
/// @param resume  file that it goes on from; empty: it begins with the first step
programs::Start start_of(const trial::WorkSetup& setup, const trial::PieceOrder& order, const CommandSettings& settings,
                         const std::string& resume);

/// The file of parameters that the program finds in its folder.
std::string params_file(const trial::PieceOrder& order);

}  // namespace dlrun::worker
