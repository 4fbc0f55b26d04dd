// SPDX-License-Identifier: Apache-2.0
// add: the sum of its inputs, all of one shape, unless told to stretch.
#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/merge.hpp"

namespace dlrun::model::layers {

namespace {

void require_equal(const Layer& layer) {
  for (std::size_t i = 1; i < layer.node.in.size(); ++i) {
    if (layer.in(i) == layer.in()) continue;
    layer.fail("", fmt::format("cannot add {}", describe_inputs(layer.node, 0, i)),
               "give both the same shape; in a residual, `shortcut: projection` fits the input to the body");
  }
}

void infer_add(Layer& layer) {
  const bool may_stretch = layer.flag("broadcast");
  layer.node.attributes.erase("broadcast");  // the shapes say it
  if (!may_stretch) require_equal(layer);
  layer.node.out = broadcast(layer, "add", "sizes must be equal, or 1 on one side");
  layer.count_operations(static_cast<std::int64_t>(layer.node.in.size()) - 1);
}

}  // namespace

LayerRule add() {
  LayerRule rule;
  rule.kind = {"add",
               "sum of the inputs named by `from`, all of one shape",
               {boolean("broadcast", "stretch a size of 1, as multiply does").with(false)}};
  rule.least_inputs = 2;
  rule.most_inputs = kMostInputs;
  rule.is_commutative = true;
  rule.infer = infer_add;
  rule.guess = first_known;
  return rule;
}

}  // namespace dlrun::model::layers
