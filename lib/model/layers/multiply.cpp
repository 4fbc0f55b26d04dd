// SPDX-License-Identifier: Apache-2.0
// multiply: the element-wise product of its inputs; a size of 1 is stretched, so that [C, 1, 1] gates [C, H, W].
#include <algorithm>

#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/merge.hpp"

namespace dlrun::model::layers {

namespace {

bool fits(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1) return false;
  }
  return true;
}

void infer(Layer& layer) {
  Shape out = layer.in();
  for (std::size_t i = 1; i < layer.node.in.size(); ++i) {
    if (!fits(out, layer.in(i))) {
      layer.fail("", fmt::format("cannot multiply {}", describe_inputs(layer.node, 0, i)),
                 "sizes must be equal, or 1 on one side");
    }
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = std::max(out[k], layer.in(i)[k]);
  }
  layer.node.out = out;
  layer.count_operations(static_cast<std::int64_t>(layer.node.in.size()) - 1);
}

}  // namespace

LayerRule multiply() {
  LayerRule rule;
  rule.kind = {"multiply", {}, "element-wise product of the inputs named by `from`; a size of 1 is stretched"};
  rule.least_inputs = 2;
  rule.most_inputs = kMostInputs;
  rule.is_commutative = true;
  rule.infer = infer;
  rule.guess = first_known;
  return rule;
}

}  // namespace dlrun::model::layers
