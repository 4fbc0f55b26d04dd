// SPDX-License-Identifier: Apache-2.0
// Options of workers that a plugin starts.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "executor/hub_options.hpp"
#include "util/json.hpp"

namespace dlrun::executor {

struct PluginOptions : HubOptions {
  std::string plugin;             ///< name of the plugin
  Json options;                   ///< values of its keys
  std::string name;               ///< begins the names of workers, one for each study and store
  std::vector<std::string> call;  ///< command of a worker: program and arguments; `--job NAME` is added
  std::map<std::string, std::string> environment;
  std::filesystem::path logs;  ///< workers print to <logs>/<name>.log; the handles of those that run lie there too
  int cores = 1, gpus = 0;     ///< each worker's
  std::int64_t memory_mb = 0;  ///< limit of each worker; 0: none
  int jobs = 0;                ///< most workers at once; 0: as many as are wanted
  double idle = 300;           ///< seconds without work after which a worker gives its place back
  double poll = 5;             ///< seconds between questions for states
};

}  // namespace dlrun::executor
