// SPDX-License-Identifier: Apache-2.0
// multiply: the element-wise product of its inputs; a size of 1 is stretched, so that [C, 1, 1] gates [C, H, W].
#include "model/layers/layers.hpp"
#include "model/merge.hpp"

namespace dlrun::model::layers {

namespace {

void infer_multiply(Layer& layer) {
  layer.node.out = broadcast(layer, "multiply", "sizes must be equal, or 1 on one side");
  layer.count_operations(static_cast<std::int64_t>(layer.node.in.size()) - 1);
}

}  // namespace

LayerRule multiply() {
  LayerRule rule;
  rule.kind = {"multiply", "element-wise product of the inputs named by `from`; a size of 1 is stretched", {}};
  rule.least_inputs = 2;
  rule.most_inputs = kMostInputs;
  rule.is_commutative = true;
  rule.infer = infer_multiply;
  rule.guess = first_known;
  return rule;
}

}  // namespace dlrun::model::layers
