// SPDX-License-Identifier: Apache-2.0
// Options that hold for workers wherever they run.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "trial/runner.hpp"
#include "util/network.hpp"

namespace dlrun::executor {

/// Options for workers of other machines.
struct NetworkOptions {
  HostPort address;                    ///< address to listen on
  std::filesystem::path key;           ///< file of the study's key; made if there is none
  std::string token;                   ///< proof that a worker sees the store: it has read this there
  std::string store;                   ///< path of the store, for messages
  double grace = 60;                   ///< seconds of silence after which a worker's orders go to others
  std::filesystem::path staging = {};  ///< folder on the store's disk for incomplete artifacts of workers apart
};

struct HubOptions {
  std::filesystem::path folder;           ///< folder of the socket, 0700; made if missing (runtime_folder.hpp)
  trial::WorkSetup setup;                 ///< handed to every worker
  double heartbeat = 5;                   ///< seconds between heartbeats
  double lost_after = 30;                 ///< seconds without a heartbeat: the worker is lost
  double hang_seconds = 60;               ///< seconds without a training step during a piece: it hangs; 0: not watched
  double kill_grace = 2;                  ///< seconds between the request to end and the kill
  double overtime = 10;                   ///< seconds past setup.time_limit after which the worker itself is ended
  int wake_fd = -1;                       ///< wait() returns when it becomes readable; -1: none
  std::optional<NetworkOptions> network;  ///< none: workers of this machine only
};

}  // namespace dlrun::executor
