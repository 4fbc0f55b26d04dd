// SPDX-License-Identifier: Apache-2.0
#include "placement/tasks.hpp"

namespace dlrun::placement {

namespace {

/// Numbers of one microbatch's tasks.
struct Numbers {
  int nodes = 0, part = 0;
  int forward(int node) const { return 2 * nodes * part + node; }
  int backward(int node) const { return forward(node) + nodes; }
  std::vector<int> forward(const std::vector<int>& all) const {
    std::vector<int> tasks;
    for (const int node : all) tasks.push_back(forward(node));
    return tasks;
  }
};

void add_tensor(Step& step, Tensor tensor) {
  if (tensor.readers.empty()) return;
  step.outputs[std::size_t(tensor.from)].push_back(int(step.tensors.size()));
  for (const int reader : tensor.readers) ++step.inputs[std::size_t(reader)];
  step.tensors.push_back(std::move(tensor));
}

/// Tasks of all nodes, without tensors.
Step tasks_of(const Graph& graph, bool trains, int parts) {
  Step step;
  for (int part = 0; part < parts; ++part) {
    for (int v = 0; v < graph.size(); ++v)
      step.tasks.push_back({v, graph.nodes[std::size_t(v)].forward / parts, false});
    for (int v = 0; trains && v < graph.size(); ++v)
      step.tasks.push_back({v, graph.nodes[std::size_t(v)].backward / parts, true});
  }
  for (const Node& node : graph.nodes) step.param_bytes.push_back(node.param_bytes);
  step.leaders = leaders_of(graph);
  step.outputs.resize(step.tasks.size());
  step.inputs.resize(step.tasks.size());
  return step;
}

/// Tensors of one microbatch: its share of an output's bytes, rounded up.
void add_part(const Graph& graph, const Lists& children, const Lists& parents, int part, int parts, Step& step) {
  const Numbers numbers{graph.size(), part};
  const auto share = [&](int node) { return (graph.nodes[std::size_t(node)].out_bytes + parts - 1) / parts; };
  for (int v = 0; v < graph.size(); ++v) {
    Tensor output{numbers.forward(v), share(v), numbers.forward(children[std::size_t(v)])};
    for (const int reader : children[std::size_t(v)]) output.readers.push_back(numbers.backward(reader));
    output.readers.push_back(numbers.backward(v));
    add_tensor(step, std::move(output));
    for (const int parent : parents[std::size_t(v)])
      add_tensor(step, {numbers.backward(v), share(parent), {numbers.backward(parent)}});
  }
}

}  // namespace

Step training_step(const Graph& graph, int parts) {
  Step step = tasks_of(graph, true, parts);
  const Lists children = children_of(graph), parents = parents_of(graph);
  for (int part = 0; part < parts; ++part) add_part(graph, children, parents, part, parts, step);
  return step;
}

Step inference_step(const Graph& graph) {
  Step step = tasks_of(graph, false, 1);
  const Lists children = children_of(graph);
  for (int v = 0; v < graph.size(); ++v)
    add_tensor(step, {v, graph.nodes[std::size_t(v)].out_bytes, children[std::size_t(v)]});
  return step;
}

bool Step::has_groups() const {
  for (int node = 0; node < nodes(); ++node) {
    if (leader(node) != node) return true;
  }
  return false;
}

std::int64_t Step::held_params(int node) const {
  constexpr std::int64_t kTrainingCopies = 3;
  return param_bytes[std::size_t(node)] * (trains() ? kTrainingCopies : 1);
}

std::vector<int> producers_first(const Step& step) {
  std::vector<int> order, missing = step.inputs;
  for (int task = 0; task < int(step.tasks.size()); ++task) {
    if (missing[std::size_t(task)] == 0) order.push_back(task);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const int tensor : step.outputs[std::size_t(order[i])]) {
      for (const int reader : step.tensors[std::size_t(tensor)].readers) {
        if (--missing[std::size_t(reader)] == 0) order.push_back(reader);
      }
    }
  }
  return order;
}

Lists inputs_of(const Step& step) {
  Lists inputs(step.tasks.size());
  for (std::size_t tensor = 0; tensor < step.tensors.size(); ++tensor) {
    for (const int reader : step.tensors[tensor].readers) inputs[std::size_t(reader)].push_back(int(tensor));
  }
  return inputs;
}

}  // namespace dlrun::placement
