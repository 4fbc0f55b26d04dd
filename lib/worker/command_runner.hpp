// SPDX-License-Identifier: Apache-2.0
// Trials of kind `command` and `python`: any program in any language. README.md of this room says what it sees and may
// say.
#pragma once
#include <memory>

#include "trial/runner.hpp"

namespace dlrun::worker {

/// Reads `command`, `env`, `metrics_regex`, `shell`, `folder` and `grace` (5: seconds between SIGTERM and SIGKILL) of
/// the trial. Exit codes: 0 done (needs the objective's metric), 85 "checkpointed, run me again", 75 "transient, try
/// again" (counts as worker_lost), else failed.
std::unique_ptr<trial::Runner> make_command_runner(const trial::WorkSetup& setup);

}  // namespace dlrun::worker
