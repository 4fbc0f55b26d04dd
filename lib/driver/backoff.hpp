// SPDX-License-Identifier: Apache-2.0
// When a piece that was lost is tried again.
#pragma once
#include <chrono>

#include "spec/study_spec.hpp"
#include "trial/trial.hpp"

namespace dlrun::driver {

/// Exponential: delay.first x 2^n, at most delay.most. The first loss of a worker says little of the piece and costs
/// nothing, nor does what nobody is to blame for: a preemption, a driver that vanished. What a machine lacked may pass.
/// @param losses  of this piece, the last one included    @param cause  of that
std::chrono::duration<double> wait_before_retry(const spec::RetryDelay& delay, int losses, trial::Cause cause);

}  // namespace dlrun::driver
