// SPDX-License-Identifier: Apache-2.0
// Faults on purpose: what a study's tests need and no real training may have. `trial.function.fault` names one, a
// parameter may set it (`at: function.fault`).
#pragma once
#include <string>
#include <vector>

#include "trial/runner.hpp"

namespace dlrun::worker {

/// none, exception, oom (thrown), nan, inf (as value), crash (SIGSEGV), abort, kill (SIGKILL), exit (code 3),
/// hang (no step any more), freeze (SIGSTOP: no heartbeat either; ends when it is woken up), hoard (takes a gigabyte
/// and gives it back).
const std::vector<std::string>& fault_names();

/// Does it. Returns for none, nan, inf and, asked to stop, never for hang. @throws what the fault says;
/// Error(usage) for an unknown name.
void commit_fault(const std::string& name);

}  // namespace dlrun::worker
