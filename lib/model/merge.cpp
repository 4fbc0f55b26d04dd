// SPDX-License-Identifier: Apache-2.0
#include "model/merge.hpp"

#include <fmt/format.h>

#include "model/shape.hpp"

namespace dlrun::model {

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
