// SPDX-License-Identifier: Apache-2.0
// linear: y = x W^T + b over the last size of [F] or [L, F].
#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

void infer_linear(Layer& layer) {
  const std::int64_t out = layer.width("out");
  if (layer.in().size() > 2) {
    layer.fail("", fmt::format("linear needs a vector, but gets {}", to_text(layer.in())),
               "add a flatten before it: {op: flatten}");
  }
  const std::int64_t in = layer.in().back();
  layer.derive("in", in);
  layer.node.out = layer.in();
  layer.node.out.back() = out;
  layer.add_tensor("weight", {out, in});
  if (layer.bias()) layer.add_tensor("bias", {out});
  layer.count_operations(in);
}

/// Shape after a fault: a linear layer is mostly applied to a vector.
Shape guess_linear(const Node& node) {
  const Json& out = node.attributes.value("out", Json());
  return out.is_number_integer() ? Shape{out.get<std::int64_t>()} : Shape{};
}

}  // namespace

LayerRule linear() {
  LayerRule rule;
  rule.kind = {"linear",
               "fully connected layer",
               {integer("out", "number of output features; classes, targets and outputs (either) come from the data")
                    .or_word("classes")
                    .or_word("targets")
                    .or_word("outputs")
                    .from(1)
                    .must(),
                boolean("bias", "auto: true unless a norm follows").or_word("auto").with("auto"),
                integer("in", "number of input features").from(1).inferred()}};
  rule.infer = infer_linear;
  rule.guess = guess_linear;
  return rule;
}

}  // namespace dlrun::model::layers
