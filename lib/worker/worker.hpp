// SPDX-License-Identifier: Apache-2.0
// One worker process, from its start to its end.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace dlrun::worker {

/// What the executor tells a worker on its command line.
struct Options {
  std::filesystem::path socket;   ///< of the driver
  std::int64_t worker = 0;        ///< the worker's number
  std::string cores;              ///< "0,1": this process runs on no others; empty: anywhere
  std::string gpu;                ///< the only one this process and its programs see; empty: nothing is changed
  std::filesystem::path library;  ///< folder of the trainer library; empty: beside the running program
};

/// Serves the driver until it says shutdown (returns 0) or vanishes (the process ends at once).
/// @throws Error(outside) where the driver cannot be reached; Error(usage) where it refuses or asks for what is not
/// there.
int run(const Options& options);

}  // namespace dlrun::worker
