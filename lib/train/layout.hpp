// SPDX-License-Identifier: Apache-2.0
// Where in the flat buffers the optimiser's settings hold: groups, exclusions from decay, frozen tensors.
#pragma once
#include "model/graph.hpp"
#include "nn/parameters.hpp"
#include "train/optimizer.hpp"

namespace dlrun::train {

/// A range for each tensor that is trained, in the buffers' order. A tensor's decay is its group's, else 0 where
/// no_decay excludes its kind, else the optimiser's.
/// A group that names nothing here is none: a search may leave layers out.
/// @throws Error(usage) where all are frozen, or a pattern is none.
Layout make_layout(const OptimizerConfig& config, const model::Graph& graph, const nn::Parameters& parameters);

}  // namespace dlrun::train
