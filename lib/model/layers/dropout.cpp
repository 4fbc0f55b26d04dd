// SPDX-License-Identifier: Apache-2.0
// Layers that in training set something to 0 with probability p and scale the rest by 1 / (1 - p); otherwise nothing.
// dropout: elements (Srivastava et al., JMLR 2014); dropout2d: whole channels (Tompson et al., CVPR 2015); drop_path:
// whole examples, which in a residual's body leaves the shortcut alone (stochastic depth: Huang et al., ECCV 2016).
#include "model/layers/layers.hpp"

namespace dlrun::model::layers {

namespace {

void infer_dropout(Layer& layer) {
  if (layer.real("p") >= 1) layer.fail("p", "with p: 1 nothing is left", "p must be below 1");
  layer.node.out = layer.in();
  layer.count_operations(1);
}

Shape guess_dropout(const Node& node) { return node.in[0]; }

bool is_off(const Node& node) { return node.attributes["p"] == 0.0; }

LayerRule random_zeros(const char* op, const char* what, const char* text) {
  LayerRule rule;
  rule.kind = {op, text, {real("p", what).from(0).to(1).with(0.5)}};
  rule.infer = infer_dropout;
  rule.guess = guess_dropout;
  rule.is_identity = is_off;
  rule.is_random = true;
  return rule;
}

}  // namespace

LayerRule dropout() { return random_zeros("dropout", "share of elements set to 0", "random zeros while training"); }

LayerRule dropout2d() {
  return random_zeros("dropout2d", "share of channels set to 0",
                      "random channels (places of the first size) set to zero while training");
}

LayerRule drop_path() {
  return random_zeros("drop_path", "share of examples for which the value is 0",
                      "stochastic depth: at the end of a residual's body, leaves it out for random examples");
}

}  // namespace dlrun::model::layers
