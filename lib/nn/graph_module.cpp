// SPDX-License-Identifier: Apache-2.0
#include "nn/graph_module.hpp"

#include <algorithm>
#include <map>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/add.h>

#include "util/error.hpp"

namespace dlrun::nn {

struct GraphModule::Step {
  std::unique_ptr<Layer> layer;
  std::vector<std::size_t> inputs;  ///< slots
  std::vector<bool> wanted;         ///< whether the gradient of inputs[i] leads to a parameter
  bool trains = false;              ///< whether a parameter lies here or above
};

namespace {

std::string only_input(const model::Graph& graph) {
  if (graph.interface.inputs.size() == 1) return graph.interface.inputs.begin()->first;
  throw Error(ErrorKind::usage,
              "a model needs one input to be trained, but has " + std::to_string(graph.interface.inputs.size()));
}

std::size_t slot_of(const std::map<std::string, std::size_t>& slots, const std::string& name) {
  const auto found = slots.find(name);
  if (found == slots.end()) throw Error(ErrorKind::internal, "the model has no node '" + name + "'");
  return found->second;
}

bool has_trainable(const model::Node& node) {
  return std::any_of(node.tensors.begin(), node.tensors.end(), [](const model::Tensor& t) { return t.trainable; });
}

}  // namespace

GraphModule::GraphModule(const model::Graph& graph, Streams streams) : parameters_(graph) {
  std::map<std::string, std::size_t> slots{{only_input(graph), 0}};
  for (const model::Node& node : graph.nodes) {
    Step step{make_layer(Scope(node, parameters_, streams)), {}, {}, has_trainable(node)};
    for (const std::string& input : node.inputs) {
      const std::size_t slot = slot_of(slots, input);
      const bool wanted = slot > 0 && steps_[slot - 1].trains;
      step.inputs.push_back(slot);
      step.wanted.push_back(wanted);
      step.trains = step.trains || wanted;
    }
    step.layer->initialise(streams);
    steps_.push_back(std::move(step));
    slots[node.name] = steps_.size();
  }
  output_ = slot_of(slots, graph.output);
  values_.resize(steps_.size() + 1);
  grads_.resize(steps_.size() + 1);
}

GraphModule::~GraphModule() = default;

at::Tensor GraphModule::forward(const at::Tensor& x, const Pass& pass) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  values_[0] = x;
  std::vector<at::Tensor> inputs;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    inputs.clear();
    for (const std::size_t slot : steps_[i].inputs) inputs.push_back(values_[slot]);
    values_[i + 1] = steps_[i].layer->forward(inputs, pass);
  }
  at::Tensor output = values_[output_];
  std::fill(values_.begin(), values_.end(), at::Tensor());
  return output;
}

void GraphModule::backward(const at::Tensor& grad) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  grads_[output_] = grad;
  for (std::size_t i = steps_.size(); i-- > 0;) {
    Step& step = steps_[i];
    const at::Tensor arrived = std::move(grads_[i + 1]);
    grads_[i + 1] = at::Tensor();
    if (!arrived.defined() || !step.trains) continue;
    std::vector<at::Tensor> leaving = step.layer->backward(arrived, step.wanted);
    for (std::size_t k = 0; k < leaving.size(); ++k) {
      if (!step.wanted[k]) continue;
      at::Tensor& sum = grads_[step.inputs[k]];
      sum = sum.defined() ? at::add(sum, leaving[k]) : std::move(leaving[k]);
    }
  }
}

}  // namespace dlrun::nn
