// SPDX-License-Identifier: Apache-2.0
#include "model/graph.hpp"

#include "model/shape.hpp"

namespace dlrun::model {

Expected Interface::expected(const std::string& output) const {
  if (output.empty()) return {classes, targets, target_shape, output_widths};
  const auto found = outputs.find(output);
  return found == outputs.end() ? Expected() : found->second;
}

std::int64_t Graph::parameters() const {
  std::int64_t count = 0;
  for (const Node& node : nodes) {
    for (const Tensor& tensor : node.tensors) count = tensor.trainable ? sum(count, elements(tensor.shape)) : count;
  }
  return count;
}

std::int64_t Graph::operations() const {
  std::int64_t count = 0;
  for (const Node& node : nodes) count = sum(count, node.operations);
  return count;
}

const Node* Graph::find(const std::string& name) const {
  for (const Node& node : nodes) {
    if (node.name == name) return &node;
  }
  return nullptr;
}

}  // namespace dlrun::model
