// SPDX-License-Identifier: Apache-2.0
// sequence_pool: one vector of a sequence, [L, D] to [D]: the mean or maximum over its positions, its first one (where
// a class token stands) or its last. With a mask only real positions count.
#include "model/layers/layers.hpp"
#include "model/sequences.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

void infer_sequence_pool(Layer& layer) {
  const Sequence sequence = sequence_of(layer);
  if (sequence.is_masked && layer.node.attributes["mode"] == "first") {
    layer.fail("from", "the first position is always real, a mask has no effect", "leave the mask out");
  }
  layer.node.out = {sequence.width};
  layer.node.operations = elements(layer.in());
}

Shape guess_sequence_pool(const Node& node) {
  return !node.in.empty() && node.in[0].size() == 2 ? Shape{node.in[0][1]} : Shape{};
}

}  // namespace

LayerRule sequence_pool() {
  LayerRule rule;
  rule.kind = {
      "sequence_pool",
      "one vector of a sequence",
      {choice("mode", "mean or max over the positions, or the first or last one", {"mean", "max", "first", "last"})
           .with("mean")}};
  rule.most_inputs = 2;
  rule.passes_first = true;
  rule.infer = infer_sequence_pool;
  rule.guess = guess_sequence_pool;
  return rule;
}

}  // namespace dlrun::model::layers
