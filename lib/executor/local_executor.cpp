// SPDX-License-Identifier: Apache-2.0
#include "executor/local_executor.hpp"

#include <unistd.h>

#include "executor/local_pool.hpp"
#include "executor/memory_group.hpp"
#include "util/error.hpp"

namespace dlrun::executor {

namespace {

std::unique_ptr<Pool> local_pool(const LocalOptions& options) {
  if (!options.binary.empty()) require_worker_program(options.binary);
  return std::make_unique<LocalPool>(options);
}

}  // namespace

void require_worker_program(const std::filesystem::path& binary) {
  if (!std::filesystem::exists(binary)) {
    throw Error(ErrorKind::no_worker, "there is no worker program '" + binary.string() + "'",
                "dlrun-worker lies beside dlrun where both were built");
  }
  if (::access(binary.c_str(), X_OK) != 0) {
    throw Error(ErrorKind::no_worker, "the worker program '" + binary.string() + "' cannot be executed");
  }
}

int limiting_cgroup_version() {
  const auto groups = MemoryGroups::find();
  return groups ? groups->version() : 0;
}

LocalExecutor::LocalExecutor(const LocalOptions& options) : Hub(options, local_pool(options)) {}

}  // namespace dlrun::executor
