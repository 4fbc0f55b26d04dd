// SPDX-License-Identifier: Apache-2.0
#include "placement/tasks.hpp"

namespace dlrun::placement {

namespace {

int backward_of(const Graph& graph, int node) { return graph.size() + node; }

void add_tensor(Step& step, Tensor tensor) {
  if (tensor.readers.empty()) return;
  step.outputs[std::size_t(tensor.from)].push_back(int(step.tensors.size()));
  for (const int reader : tensor.readers) ++step.inputs[std::size_t(reader)];
  step.tensors.push_back(std::move(tensor));
}

/// Tasks of all nodes, without tensors.
Step tasks_of(const Graph& graph, bool trains) {
  Step step;
  for (int v = 0; v < graph.size(); ++v) step.tasks.push_back({v, graph.nodes[std::size_t(v)].forward, false});
  for (int v = 0; trains && v < graph.size(); ++v)
    step.tasks.push_back({v, graph.nodes[std::size_t(v)].backward, true});
  for (const Node& node : graph.nodes) step.param_bytes.push_back(node.param_bytes);
  step.outputs.resize(step.tasks.size());
  step.inputs.resize(step.tasks.size());
  return step;
}

}  // namespace

Step training_step(const Graph& graph) {
  Step step = tasks_of(graph, true);
  const Lists children = children_of(graph), parents = parents_of(graph);
  for (int v = 0; v < graph.size(); ++v) {
    const Node& node = graph.nodes[std::size_t(v)];
    Tensor output{v, node.out_bytes, children[std::size_t(v)]};
    for (const int reader : children[std::size_t(v)]) output.readers.push_back(backward_of(graph, reader));
    output.readers.push_back(backward_of(graph, v));
    add_tensor(step, std::move(output));
    for (const int parent : parents[std::size_t(v)]) {
      const std::int64_t bytes = graph.nodes[std::size_t(parent)].out_bytes;
      add_tensor(step, {backward_of(graph, v), bytes, {backward_of(graph, parent)}});
    }
  }
  return step;
}

Step inference_step(const Graph& graph) {
  Step step = tasks_of(graph, false);
  const Lists children = children_of(graph);
  for (int v = 0; v < graph.size(); ++v)
    add_tensor(step, {v, graph.nodes[std::size_t(v)].out_bytes, children[std::size_t(v)]});
  return step;
}

std::int64_t Step::held_params(int node) const {
  constexpr std::int64_t kTrainingCopies = 3;
  return param_bytes[std::size_t(node)] * (trains() ? kTrainingCopies : 1);
}

Lists inputs_of(const Step& step) {
  Lists inputs(step.tasks.size());
  for (std::size_t tensor = 0; tensor < step.tensors.size(); ++tensor) {
    for (const int reader : step.tensors[tensor].readers) inputs[std::size_t(reader)].push_back(int(tensor));
  }
  return inputs;
}

}  // namespace dlrun::placement
