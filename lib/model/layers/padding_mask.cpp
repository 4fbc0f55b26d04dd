// SPDX-License-Identifier: Apache-2.0
// padding_mask: 1 where a sequence of indices has a real one, 0 where it is padded: indices [L] to [L]. Attention,
// recurrent layers and pools take it after the sequence it belongs to, from: [sequence, mask].
#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

void infer_padding_mask(Layer& layer) {
  const std::int64_t vocabulary = layer.vocabulary();
  if (vocabulary == 0 || layer.in().size() != 1) {
    layer.fail("", fmt::format("padding_mask reads an input of indices [length], but '{}' is {}{}",
                               layer.node.inputs[0], to_text(layer.in()), vocabulary == 0 ? " of numbers" : ""));
  }
  if (layer.integer("index") >= vocabulary) {
    layer.fail("index", fmt::format("'{}' has no index {}, they lie below {}", layer.node.inputs[0],
                                    layer.integer("index"), vocabulary));
  }
  layer.node.out = {layer.in()[0] + layer.integer("before")};
}

}  // namespace

LayerRule padding_mask() {
  LayerRule rule;
  rule.kind = {
      "padding_mask",
      "1 where an index is real, 0 where it is padding",
      {integer("index", "the index that means padding").from(0).with(0),
       integer("before", "real positions put before the first one: 1 where a class_token is").from(0).to(16).with(0)}};
  rule.infer = infer_padding_mask;
  rule.reads_indices = true;
  return rule;
}

}  // namespace dlrun::model::layers
