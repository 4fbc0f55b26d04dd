// SPDX-License-Identifier: Apache-2.0
// A trial's training step, timed layer by layer.
#pragma once
#include "trial/profile.hpp"

namespace dlrun::train {

/// Trains the trial of `order` from its beginning for warmup + steps steps and keeps the medians; nothing is saved.
/// Validation between two epochs is left out. @throws Error(usage) for what cannot be trained, or where it diverges.
trial::ModelProfile profile_trial(const trial::WorkSetup& setup, const trial::PieceOrder& order,
                                  const trial::ProfileOptions& options);

}  // namespace dlrun::train
