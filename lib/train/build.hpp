// SPDX-License-Identifier: Apache-2.0
// A trial's model, made once and trained for a step: whether it can be.
#pragma once
#include "trial/build.hpp"

namespace dlrun::train {

/// Steps in which a tensor must get a gradient. In the first some may get none and live: behind weights that begin at
/// zero, or where few examples leave a small layer's units all off.
inline constexpr int kStepsToLive = 32;

/// Makes the trial of `order` and takes a step; kStepsToLive at most where a tensor got no gradient. On the device of
/// `setup`. What is wrong with the trial is in the answer; nothing is saved.
trial::BuiltModel build_trial(const trial::WorkSetup& setup, const trial::PieceOrder& order);

}  // namespace dlrun::train
