// SPDX-License-Identifier: Apache-2.0
// Contract tests of plugins that compute with libtorch: made by worker programs, for libtorch stays out of this
// process.
#pragma once
#include <vector>

#include "contracts/contract.hpp"

namespace dlrun::cli {

/// Asks `dlrun-worker --test-plugin`. A test that ends the worker has failed, and another worker makes those behind it.
/// DLRUN_PLUGIN_DEADLINE (60) says how many seconds a test may take.
/// @throws Error(no_worker) if there is no worker; an Error of the kind with which the worker ended outside of a test,
/// whose words are on standard error already
std::vector<Verdict> worker_verdicts(const Tested& tested);

}  // namespace dlrun::cli
