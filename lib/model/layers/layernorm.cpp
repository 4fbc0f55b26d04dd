// SPDX-License-Identifier: Apache-2.0
// layernorm: each example to mean 0 and variance 1 (Ba, Kiros, Hinton 2016): over the last size of [F] and [L, F], over
// all of [C, H, W]. So torch.nn.LayerNorm(F) and torch.nn.LayerNorm([C, H, W]).
#include "model/layers/layers.hpp"
#include "model/norm.hpp"

namespace dlrun::model::layers {

namespace {

void infer_layernorm(Layer& layer) {
  const Shape shape = normalised_sizes(layer);
  layer.node.out = layer.in();
  if (layer.flag("affine")) {
    layer.add_tensor("weight", shape);
    layer.add_tensor("bias", shape);
  }
  layer.count_operations(1);
}

Shape guess_layernorm(const Node& node) { return node.in[0]; }

}  // namespace

LayerRule layernorm() {
  LayerRule rule;
  rule.kind = {"layernorm",
               "layer normalisation",
               {real("eps", "added to the variance").from(0).to(1).with(1e-5),
                boolean("affine", "learn a scale and a shift per element").with(true),
                key(Form::shape, "shape", "the last sizes it is taken over; by default the last one, of an image all")
                    .from(1)
                    .inferred()}};
  rule.infer = infer_layernorm;
  rule.guess = guess_layernorm;
  rule.is_norm = true;
  return rule;
}

}  // namespace dlrun::model::layers
