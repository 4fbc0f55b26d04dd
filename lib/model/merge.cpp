// SPDX-License-Identifier: Apache-2.0
#include "model/merge.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/shape.hpp"

namespace dlrun::model {

namespace {

bool fits(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1) return false;
  }
  return true;
}

}  // namespace

Shape broadcast(const Layer& layer, const char* what, const char* hint) {
  Shape out = layer.in();
  for (std::size_t i = 1; i < layer.node.in.size(); ++i) {
    if (!fits(out, layer.in(i))) {
      layer.fail("", fmt::format("cannot {} {}", what, describe_inputs(layer.node, 0, i)), hint);
    }
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = std::max(out[k], layer.in(i)[k]);
  }
  return out;
}

std::string describe_inputs(const Node& node, std::size_t left, std::size_t right) {
  return fmt::format("'{}' {} and '{}' {}", node.inputs[left], to_text(node.in[left]), node.inputs[right],
                     to_text(node.in[right]));
}

Shape first_known(const Node& node) {
  for (const Shape& shape : node.in) {
    if (!shape.empty()) return shape;
  }
  return {};
}

}  // namespace dlrun::model
