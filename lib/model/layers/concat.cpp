// SPDX-License-Identifier: Apache-2.0
// concat: its inputs one after the other along one size, by default the channels; the other sizes must agree.
#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/merge.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

bool fits(Shape a, Shape b, std::size_t dim) {
  if (a.size() != b.size()) return false;
  a[dim] = b[dim] = 0;
  return a == b;
}

void infer_concat(Layer& layer) {
  const auto dim = static_cast<std::size_t>(layer.integer("dim"));
  if (dim >= layer.in().size()) {
    layer.fail("dim", fmt::format("the inputs have {} sizes, there is no dim {}", layer.in().size(), dim),
               "dim counts from 0, without the batch");
  }
  Shape out = layer.in();
  for (std::size_t i = 1; i < layer.node.in.size(); ++i) {
    if (!fits(out, layer.in(i), dim)) {
      layer.fail("", fmt::format("cannot concatenate {} along dim {}", describe_inputs(layer.node, 0, i), dim),
                 "all other sizes must agree");
    }
    out[dim] = sum(out[dim], layer.in(i)[dim]);
  }
  layer.node.out = out;
}

}  // namespace

LayerRule concat() {
  LayerRule rule;
  rule.kind = {
      "concat",
      "inputs named by `from`, one after the other",
      {integer("dim", "the size along which they are joined, without the batch; 0: channels").from(0).to(3).with(0)}};
  rule.least_inputs = 2;
  rule.most_inputs = kMostInputs;
  rule.infer = infer_concat;
  return rule;
}

}  // namespace dlrun::model::layers
