// SPDX-License-Identifier: Apache-2.0
#include "recipe/layers.hpp"

#include "model/flat.hpp"

namespace dlrun::recipe {

namespace {

double numbers_of(const model::Node& node) {
  double sum = 0;
  for (const model::Tensor& tensor : node.tensors) sum += tensor.trainable ? double(model::numel(tensor.shape)) : 0;
  return sum;
}

/// A kernel is a matrix too: outputs by all else.
std::size_t rows_of(const model::Shape& shape) { return shape.size() < 2 ? 0 : std::size_t(shape.front()); }

}  // namespace

std::vector<parallel::Layer> layers_of(const model::Graph& graph) {
  std::vector<parallel::Layer> layers;
  for (const model::Node& node : graph.nodes) {
    const double all = numbers_of(node);
    for (const model::Tensor& tensor : node.tensors) {
      if (!tensor.trainable) continue;
      const std::int64_t count = model::numel(tensor.shape);
      const double operations = double(count) * (1 + double(node.operations) / all);  // each number counts one at least
      layers.push_back(
          {std::size_t(model::padded(count)), double(count) * parallel::kNumber, operations, rows_of(tensor.shape)});
    }
  }
  return layers;
}

}  // namespace dlrun::recipe
