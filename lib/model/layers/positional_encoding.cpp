// SPDX-License-Identifier: Apache-2.0
// positional_encoding: adds to each position of [L, D] a vector that tells where it is: learned (BERT, GPT) or
// sinusoidal (Vaswani et al., NeurIPS 2017, section 3.5), sin and cos in turn.
#include "model/layers/layers.hpp"
#include "model/sequences.hpp"

namespace dlrun::model::layers {

namespace {

void infer_positional_encoding(Layer& layer) {
  const Sequence sequence = sequence_of(layer);
  layer.node.out = layer.in();
  if (layer.node.attributes["kind"] == "learned") layer.add_tensor("weight", {sequence.length, sequence.width});
  layer.count_operations(1);
}

Shape guess_positional_encoding(const Node& node) { return node.in.empty() ? Shape{} : node.in[0]; }

}  // namespace

LayerRule positional_encoding() {
  LayerRule rule;
  rule.kind = {"positional_encoding",
               "adds a vector for the position",
               {choice("kind", "learned: a weight for each position, drawn as std * N(0, 1)", {"sinusoidal", "learned"})
                    .with("sinusoidal"),
                real("std", "spread of the learned ones' first values").from(0).to(10).with(0.02)}};
  rule.infer = infer_positional_encoding;
  rule.guess = guess_positional_encoding;
  return rule;
}

}  // namespace dlrun::model::layers
