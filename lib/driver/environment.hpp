// SPDX-License-Identifier: Apache-2.0
// Environment of a driver, for the lineage: its host, program and code.
#pragma once
#include "driver/driver.hpp"
#include "storage/store.hpp"

namespace dlrun::driver {

/// Describes the environment of a run. Never fails: unknown fields stay empty. Asks git (2 s at most) only if the
/// working directory is inside a repository.
storage::Environment describe_environment(const spec::StudySpec& spec, const Options& options);

std::string host_name();

}  // namespace dlrun::driver
