// SPDX-License-Identifier: Apache-2.0
// Sizes at which a layer is tested: drawn small, and kept where plugin.yaml accepts them.
#pragma once
#include <string>
#include <vector>

#include "model/graph.hpp"
#include "train/contracts/contract.hpp"

namespace dlrun::train::contracts {

/// A layer as the only node of a network.
struct LayerCase {
  model::Graph graph;
  std::string text;  ///< "inputs [4, 6]"

  const model::Node& node() const { return graph.nodes.front(); }
};

/// Up to four cases of different sizes, the smaller ones first.
/// @throws Broken where plugin.yaml accepts none of the drawn sizes, with its last refusal
std::vector<LayerCase> layer_cases(const Tested& tested);

}  // namespace dlrun::train::contracts
