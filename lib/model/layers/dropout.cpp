// SPDX-License-Identifier: Apache-2.0
// dropout: in training each element is set to 0 with probability p and the others scaled by 1 / (1 - p)
// (Srivastava et al., JMLR 2014); otherwise nothing.
#include "model/layers/layers.hpp"

namespace dlrun::model::layers {

namespace {

void infer(Layer& layer) {
  if (layer.real("p") >= 1) layer.fail("p", "with p: 1 nothing is left", "p must be below 1");
  layer.node.out = layer.in();
  layer.count_operations(1);
}

Shape guess(const Node& node) { return node.in[0]; }

bool is_off(const Node& node) { return node.attributes["p"] == 0.0; }

}  // namespace

LayerRule dropout() {
  LayerRule rule;
  rule.kind = {
      "dropout",
      {{.name = "p", .type = "float", .fallback = 0.5, .low = 0, .high = 1, .text = "share of elements set to 0"}},
      "random zeros while training"};
  rule.infer = infer;
  rule.guess = guess;
  rule.is_identity = is_off;
  rule.is_random = true;
  return rule;
}

}  // namespace dlrun::model::layers
