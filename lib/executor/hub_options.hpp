// SPDX-License-Identifier: Apache-2.0
// Options for workers, wherever they run.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "trial/runner.hpp"
#include "util/network.hpp"

namespace dlrun::executor {

/// Workers of other machines may join.
struct NetworkOptions {
  HostPort address;                    ///< to listen on
  std::filesystem::path key;           ///< file of the study's key; made if there is none
  std::string token;                   ///< proof that a worker sees the store, which it has to read there
  std::string store;                   ///< folder of the store, for messages
  double grace = 60;                   ///< seconds without a message from a worker, after which its work goes to others
  std::filesystem::path staging = {};  ///< on the store's disk: what workers apart send lies there until it is whole
};

struct HubOptions {
  std::filesystem::path folder;           ///< folder of the socket, 0700; made if missing (runtime_folder.hpp)
  trial::WorkSetup setup;                 ///< handed to every worker
  double heartbeat = 5;                   ///< seconds between heartbeats
  double lost_after = 30;                 ///< seconds without one: the worker is lost
  double hang_seconds = 60;               ///< seconds without a training step during a piece: it hangs; 0: not watched
  double kill_grace = 2;                  ///< seconds between being told to end and being made to
  double overtime = 10;                   ///< seconds past setup.time_limit after which the worker itself is ended
  int wake_fd = -1;                       ///< wait() returns when it becomes readable; -1: none
  std::optional<NetworkOptions> network;  ///< none: workers of this machine only
};

}  // namespace dlrun::executor
