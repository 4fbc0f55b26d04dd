// SPDX-License-Identifier: Apache-2.0
// Delays before lost pieces run again.
#pragma once
#include <chrono>

#include "spec/study_spec.hpp"
#include "trial/trial.hpp"

namespace dlrun::driver {

/// Seconds before the next attempt at a piece: exponential, delay.first x 2^n, at most delay.most. The first loss of a
/// worker says little about the piece and costs no delay. Losses that nobody is to blame for, such as a preemption or a
/// vanished driver, cost none either. A machine that lacked something costs a delay, because the lack may pass.
/// @param losses  of this piece, the last one included    @param cause  of the last loss
std::chrono::duration<double> wait_before_retry(const spec::RetryDelay& delay, int losses, trial::Cause cause);

}  // namespace dlrun::driver
