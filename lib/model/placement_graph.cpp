// SPDX-License-Identifier: Apache-2.0
#include "model/placement_graph.hpp"

#include <algorithm>

#include "model/shape.hpp"

namespace dlrun::model {

namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr double kOperationsPerSecond = 20e9, kBytesPerSecond = 5e9, kSecondsPerLayer = 2e-6;

std::int64_t weights_of(const Node& node) {
  std::int64_t weights = 0;
  for (const Tensor& tensor : node.tensors) weights += tensor.trainable ? elements(tensor.shape) : 0;
  return weights;
}

LayerSeconds estimate(const Node& node, std::int64_t batch) {
  std::int64_t numbers = elements(node.out);
  for (const Shape& shape : node.in) numbers += elements(shape);
  const double operations = 2 * double(node.operations * batch);
  const double bytes = double(kFloatBytes * (numbers * batch + weights_of(node)));
  const double work = std::max(operations / kOperationsPerSecond, bytes / kBytesPerSecond);
  const bool has_weights = !node.tensors.empty() || !node.shared.empty();
  return {kSecondsPerLayer + work, kSecondsPerLayer + (has_weights ? 2 : 1) * work};
}

/// Nodes that share weights, each under the name of the first of them.
class Sharing {
 public:
  explicit Sharing(const Graph& model) {
    std::map<std::string, std::string> owners;  // of each tensor
    for (const Node& node : model.nodes) {
      for (const Tensor& tensor : node.tensors) owners[node.name + "." + tensor.name] = node.name;
      for (const SharedTensor& tensor : node.shared) unite(owners.at(tensor.of), node.name);
    }
  }

  /// Empty: the node shares with no other.
  std::string group(const std::string& node) const { return first_.contains(node) ? first(node) : ""; }

 private:
  std::string first(std::string node) const {
    while (first_.contains(node) && first_.at(node) != node) node = first_.at(node);
    return node;
  }
  void unite(const std::string& owner, const std::string& node) {
    first_.emplace(owner, owner);
    const std::string before = first(node);
    first_[before] = first_[node] = first(owner);
  }

  std::map<std::string, std::string> first_;
};

class Writer {
 public:
  Writer(const std::string& name, std::int64_t batch, const SecondsByLayer& seconds, const Sharing& sharing)
      : batch_(batch), seconds_(seconds), sharing_(sharing) {
    graph_.name = name;
  }

  void add_input(const std::string& name, const Input& input) {
    add({name, "Input", 0, 0, bytes_of(input.shape), 0}, {});
  }
  void add_layer(const Node& node) {
    const auto found = seconds_.find(node.name);
    const LayerSeconds cost = found == seconds_.end() ? LayerSeconds{} : found->second;
    add({node.name, node.op, cost.forward, cost.backward, bytes_of(node.out), weights_of(node) * kFloatBytes,
         sharing_.group(node.name)},
        node.inputs);
  }
  placement::Graph graph() && { return std::move(graph_); }

 private:
  std::int64_t bytes_of(const Shape& shape) const { return elements(shape) * batch_ * kFloatBytes; }

  void add(placement::Node node, const std::vector<std::string>& inputs) {
    const int number = graph_.size();
    for (const std::string& input : inputs) graph_.edges.emplace_back(number_.at(input), number);
    number_.emplace(node.name, number);
    graph_.nodes.push_back(std::move(node));
  }

  std::int64_t batch_;
  const SecondsByLayer& seconds_;
  const Sharing& sharing_;
  std::map<std::string, int> number_;
  placement::Graph graph_;
};

}  // namespace

SecondsByLayer estimated_seconds(const Graph& model, std::int64_t batch) {
  SecondsByLayer all;
  for (const Node& node : model.nodes) all.emplace(node.name, estimate(node, batch));
  return all;
}

placement::Graph placement_graph(const Graph& model, const std::string& name, std::int64_t batch,
                                 const SecondsByLayer& seconds) {
  const Sharing sharing(model);
  Writer writer(name, batch, seconds, sharing);
  for (const auto& [input, what] : model.interface.inputs) writer.add_input(input, what);
  for (const Node& node : model.nodes) writer.add_layer(node);
  return std::move(writer).graph();
}

}  // namespace dlrun::model
