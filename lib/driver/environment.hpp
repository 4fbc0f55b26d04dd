// SPDX-License-Identifier: Apache-2.0
// Where and with what a driver runs, for the lineage.
#pragma once
#include "driver/driver.hpp"
#include "storage/store.hpp"

namespace dlrun::driver {

/// Never fails: what cannot be known stays empty. Asks git (2 s at most) only where the working directory is inside a
/// repository.
storage::Environment describe_environment(const spec::StudySpec& spec, const Options& options);

/// This host's name.
std::string host_name();

}  // namespace dlrun::driver
