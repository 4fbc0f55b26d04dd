// SPDX-License-Identifier: Apache-2.0
#include "model/placement_graph.hpp"

#include <algorithm>

#include "model/shape.hpp"
#include "model/shared_buffers.hpp"

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

using GroupsByLayer = std::map<std::string, std::string>;

/// Layers that share weights, each with the name of the owner, which never shares another one's.
GroupsByLayer groups_of(const Graph& model) {
  std::map<std::string, std::string> owners;  // owner of each tensor
  GroupsByLayer groups;
  for (const Node& node : model.nodes) {
    for (const Tensor& tensor : node.tensors) owners[node.name + "." + tensor.name] = node.name;
    for (const SharedTensor& tensor : node.shared) {
      const std::string& owner = owners.at(tensor.of);
      groups[owner] = groups[node.name] = owner;
    }
  }
  return groups;
}

template <typename Value>
Value found_or_empty(const std::map<std::string, Value>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? Value{} : found->second;
}

class Writer {
 public:
  Writer(const std::string& name, std::int64_t batch, const SecondsByLayer& seconds, const GroupsByLayer& groups)
      : batch_(batch), seconds_(seconds), groups_(groups) {
    graph_.name = name;
  }

  void add_input(const std::string& name, const Input& input) {
    add_node({name, "Input", 0, 0, bytes_of(input.shape), 0}, {});
  }
  void add_layer(const Node& node) {
    const LayerSeconds cost = found_or_empty(seconds_, node.name);
    add_node({node.name, node.op, cost.forward, cost.backward, bytes_of(node.out), weights_of(node) * kFloatBytes,
              found_or_empty(groups_, node.name)},
             node.inputs);
  }
  /// Lets `later` wait for `earlier`, unless it does already, by whatever way.
  void add_wait(const std::string& earlier, const std::string& later) {
    const int from = number_.at(earlier), to = number_.at(later);
    if (!reaches(from, to)) graph_.edges.emplace_back(from, to);
  }
  placement::Graph graph() && { return std::move(graph_); }

 private:
  std::int64_t bytes_of(const Shape& shape) const { return elements(shape) * batch_ * kFloatBytes; }

  void add_node(placement::Node node, const std::vector<std::string>& inputs) {
    const int number = graph_.size();
    for (const std::string& input : inputs) graph_.edges.emplace_back(number_.at(input), number);
    number_.emplace(node.name, number);
    graph_.nodes.push_back(std::move(node));
  }

  /// Whether a way of edges leads there. Edges lead to larger numbers.
  bool reaches(int from, int to) const {
    const placement::Lists parents = placement::parents_of(graph_);
    std::vector<char> leads(graph_.nodes.size(), 0);
    leads[std::size_t(to)] = 1;
    for (int node = to; node > from; --node) {
      if (!leads[std::size_t(node)]) continue;
      for (const int parent : parents[std::size_t(node)]) leads[std::size_t(parent)] = 1;
    }
    return leads[std::size_t(from)] != 0;
  }

  std::int64_t batch_;
  const SecondsByLayer& seconds_;
  const GroupsByLayer& groups_;
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
  const GroupsByLayer groups = groups_of(model);
  Writer writer(name, batch, seconds, groups);
  for (const auto& [input, what] : model.interface.inputs) writer.add_input(input, what);
  for (const Node& node : model.nodes) writer.add_layer(node);
  const auto earlier = earlier_writers(model);
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    if (earlier[i]) writer.add_wait(model.nodes[*earlier[i]].name, model.nodes[i].name);
  }
  return std::move(writer).graph();
}

}  // namespace dlrun::model
