// SPDX-License-Identifier: Apache-2.0
// One worker process, from its start to its end.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace dlrun::worker {

/// Settings from a worker's command line.
struct Options {
  std::filesystem::path socket;    ///< socket of a driver on this machine that started it
  std::filesystem::path endpoint;  ///< instead: file of a driver, perhaps on another machine, that it joins
  std::filesystem::path scratch;   ///< place for the own folder of one that joins and does not see the store
  std::string job;                 ///< cluster job that this process belongs to; empty: none
  std::string host;                ///< name of this machine; empty: as the system says
  std::int64_t worker = -1;        ///< the worker's number; -1: the driver gives it one
  std::string cores;               ///< "0,1": this process runs on no others; empty: anywhere
  std::string gpu;                 ///< the only one this process and its programs see; empty: nothing is changed
  std::filesystem::path cgroup;    ///< control group that this process joins; empty: it stays where it is
  std::filesystem::path library;   ///< folder of the trainer library; empty: beside the running program

  bool has_joined() const { return !endpoint.empty(); }
  bool is_apart() const { return !scratch.empty(); }
};

/// Serves the driver until it says shutdown (returns 0) or vanishes (the process ends at once; one that joined tries to
/// come back first). A signal ends a worker that joined as the driver's shutdown would.
/// @throws Error(outside) where the driver cannot be reached; Error(usage) where it refuses or asks for what is not
/// there.
int serve_driver(const Options& options);

}  // namespace dlrun::worker
