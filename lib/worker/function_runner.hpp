// SPDX-License-Identifier: Apache-2.0
// Trials of kind `function`: a test function of the numeric parameters that set no place of their own, one epoch after
// another. Its learning curve is closed-form, so a piece needs no checkpoint to go on from.
#pragma once
#include <memory>

#include "trial/runner.hpp"

namespace dlrun::worker {

/// Keys of `trial.function`, all optional but `op`:
///   op            name of the function (functions.hpp)
///   curve (0)     the value at epoch e is f(x) + curve * (1 + |x1|) / e: curves of different trials cross
///   noise (0)     standard deviation of normal noise, keyed by seed, replicate, fold, parameters and epoch
///   sleep (0)     seconds an epoch takes
///   fault (none)  what goes wrong (faults.hpp), at epoch fault_step (1), in the first fault_attempts (0: all) attempts
/// Reports the metric `value` for each epoch (functions of several values: value1, value2, … and constraints c1, …, on
/// which curve and noise have no effect); NaN or infinity ends the piece as failed.
std::unique_ptr<trial::Runner> make_function_runner(const trial::WorkSetup& setup);

}  // namespace dlrun::worker
