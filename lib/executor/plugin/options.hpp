// SPDX-License-Identifier: Apache-2.0
// Options of workers that a plugin starts.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "executor/job_options.hpp"
#include "util/json.hpp"

namespace dlrun::executor {

/// Workers print to <logs>/<name of the worker>.log; the handles of those that run lie there too.
struct PluginOptions : JobOptions {
  std::string plugin;  ///< name of the plugin
  Json options;        ///< values of its keys
  std::map<std::string, std::string> environment;
  int gpus = 0;                ///< each worker's
  std::int64_t memory_mb = 0;  ///< limit of each worker; 0: none
};

}  // namespace dlrun::executor
