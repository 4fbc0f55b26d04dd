// SPDX-License-Identifier: Apache-2.0
// flatten: [C, H, W] to [C * H * W], row-major.
#include "model/layers/layers.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

void infer_flatten(Layer& layer) {
  const std::int64_t count = elements(layer.in());
  layer.derive("out", count);
  layer.node.out = {count};
}

bool is_flat(const Node& node) { return node.in[0].size() == 1; }

}  // namespace

LayerRule flatten() {
  LayerRule rule;
  rule.kind = {"flatten", "all sizes into one vector", {integer("out", "number of elements").from(1).inferred()}};
  rule.infer = infer_flatten;
  rule.is_identity = is_flat;
  return rule;
}

}  // namespace dlrun::model::layers
