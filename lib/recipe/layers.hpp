// SPDX-License-Identifier: Apache-2.0
// A network as ranks cut it: each tensor is a layer.
#pragma once
#include <vector>

#include "model/graph.hpp"
#include "parallel/layers.hpp"

namespace dlrun::recipe {

/// In the order of the flat weights, gaps between tensors included. A tensor's share of the backward pass follows its
/// part of the layer's multiplications.
std::vector<parallel::Layer> layers_of(const model::Graph& graph);

}  // namespace dlrun::recipe
