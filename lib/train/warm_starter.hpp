// SPDX-License-Identifier: Apache-2.0
// The first weights of a training that begins with those of earlier trials.
#pragma once
#include <filesystem>
#include <functional>

#include "train/training.hpp"

namespace dlrun::train {

/// Does what the training's `warm_start` says, before its first step: reads the donors, compares every name, shape and
/// kind, and only then copies. The result depends on files and settings alone.
/// @param tick  called after every batch that is measured; may throw
/// @return      for the record, also noted in the training's state
/// @throws Error(store) for a donor that is missing or damaged; Error(usage) for one that does not fit: E402 too little
/// of it, E403 the optimiser's state, E404 a shape or kind, E405 a name, E406 `resume` under other settings.
trial::WeightStart warm_start(Training& training, const std::filesystem::path& artifacts,
                              const std::function<void()>& tick);

}  // namespace dlrun::train
