// SPDX-License-Identifier: Apache-2.0
// The tables of the walk: every optimiser with every schedule, every layer kind, every step of augmentation, sampler,
// loss and metric.
#pragma once
#include <vector>

#include "unit/train/walk.hpp"

namespace dlrun::train {

std::vector<Walk> optimizer_walks();  ///< each with every schedule
std::vector<Walk> layer_walks();      ///< each alone, and with accumulation and an average
std::vector<Walk> data_walks();
std::vector<Walk> loss_walks();
std::vector<Walk> output_walks();  ///< several outputs of a model

/// A small trial with dropout and batch norm.
Json small_trial();
/// Layers of small_trial(), with a linear one, `hidden`, between the first and the last.
Json nodes_with_hidden();

}  // namespace dlrun::train
