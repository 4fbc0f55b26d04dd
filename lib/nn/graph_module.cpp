// SPDX-License-Identifier: Apache-2.0
#include "nn/graph_module.hpp"

#include <algorithm>
#include <map>

#include <ATen/core/LegacyTypeDispatch.h>

#include "model/shared_buffers.hpp"
#include "util/error.hpp"

namespace dlrun::nn {

namespace {

std::size_t slot_of(const std::map<std::string, std::size_t>& slots, const std::string& name) {
  const auto found = slots.find(name);
  if (found == slots.end()) throw Error(ErrorKind::internal, "the model has no node '" + name + "'");
  return found->second;
}

bool has_trainable(const model::Node& node) {
  const auto is_trainable = [](const auto& tensor) { return tensor.trainable; };
  return std::any_of(node.tensors.begin(), node.tensors.end(), is_trainable) ||
         std::any_of(node.shared.begin(), node.shared.end(), is_trainable);
}

std::vector<at::Tensor> gradients_of(const Scope& scope) {
  std::vector<at::Tensor> grads;
  for (const std::string& local : scope.locals()) {
    if (scope.tensor(local).trainable) grads.push_back(scope.tensor(local).grad);
  }
  return grads;
}

std::string owner_of(const model::SharedTensor& tensor) {
  return tensor.of.substr(0, tensor.of.size() - tensor.name.size() - 1);
}

}  // namespace

GraphModule::GraphModule(const model::Graph& graph, Streams streams, const Compute& compute)
    : GraphModule(graph, streams, compute, Parameters(graph, compute.device)) {
  // The owner of a shared tensor stands first and has the last word.
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) step->layer->initialise(streams);
}

GraphModule::GraphModule(const model::Graph& graph, Streams streams, const GraphModule& of)
    : GraphModule(graph, streams, of.compute_, of.parameters_.with_own_grads()) {}

GraphModule::GraphModule(const model::Graph& graph, Streams streams, const Compute& compute, Parameters parameters)
    : parameters_(std::move(parameters)), compute_(compute) {
  std::map<std::string, std::size_t> slots;
  for (const auto& [name, input] : graph.interface.inputs) slots.emplace(name, slots.size());
  inputs_ = slots.size();
  const auto earlier = model::earlier_writers(graph);
  for (const model::Node& node : graph.nodes) {
    const Scope scope(node, parameters_, streams);
    GraphStep step{make_layer(scope, compute_.precision),
                   {},
                   {},
                   has_trainable(node),
                   false,
                   gradients_of(scope),
                   {},
                   earlier[steps_.size()]};
    for (const std::string& input : node.inputs) {
      const std::size_t slot = slot_of(slots, input);
      const bool wanted = slot >= inputs_ && steps_[slot - inputs_].trains;
      step.inputs.push_back(slot);
      step.wanted.push_back(wanted);
      step.trains = step.trains || wanted;
    }
    slots[node.name] = inputs_ + steps_.size();
    steps_.push_back(std::move(step));
    for (const model::SharedTensor& tensor : node.shared) {
      tie(node.name + '.' + tensor.name, tensor.of, steps_[slots.at(owner_of(tensor)) - inputs_]);
    }
  }
  for (const model::Output& output : graph.outputs) {
    outputs_.push_back({slot_of(slots, output.node), at::kFloat});
    if (outputs_.back().slot >= inputs_) steps_[outputs_.back().slot - inputs_].is_measured |= !output.is_auxiliary;
  }
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    for (const std::size_t slot : step->inputs) {
      if (slot >= inputs_) steps_[slot - inputs_].is_measured |= step->is_measured;
    }
  }
  values_.resize(inputs_ + steps_.size());
  grads_.resize(inputs_ + steps_.size());
  passes_.emplace(steps_, inputs_);
}

GraphModule::~GraphModule() = default;

void GraphModule::tie(const std::string& shared, const std::string& of, GraphStep& owner) {
  const Parameter *from = parameters_.find_shared(shared), *into = parameters_.find(of);
  if (from && into && into->trainable) owner.ties.push_back({from->grad, into->grad});
}

void GraphModule::place(std::shared_ptr<DeviceThreads> threads, DeviceOrders orders) {
  placed_ = std::make_unique<PlacedPasses>(*passes_, std::move(threads), std::move(orders));
}

std::vector<at::Tensor> GraphModule::forward_all(c10::ArrayRef<at::Tensor> given, const Pass& pass) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  begin(given);
  if (placed_) {
    placed_->forward(values_, pass, compute_, costs_);
  } else {
    compute_values(pass);
  }
  return outputs();
}

void GraphModule::begin(c10::ArrayRef<at::Tensor> inputs) { std::copy(inputs.begin(), inputs.end(), values_.begin()); }

void GraphModule::compute(std::size_t layer, const Pass& pass) {
  passes_->forward(layer, values_, pass, compute_, nullptr);
}

std::vector<at::Tensor> GraphModule::outputs() {
  std::vector<at::Tensor> outputs;
  for (Output& output : outputs_) {
    const at::Tensor& value = values_[output.slot];
    if (value.defined()) output.type = value.scalar_type();
    outputs.push_back(value.defined() ? value.to(at::kFloat) : value);
  }
  std::fill(values_.begin(), values_.end(), at::Tensor());
  return outputs;
}

void GraphModule::compute_values(const Pass& pass) {
  const Autocast autocast(compute_.device.type(), compute_.precision);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].takes_part(pass)) values_[inputs_ + i] = steps_[i].forward(values_, pass, cost_of(costs_, i));
  }
}

void GraphModule::backward(c10::ArrayRef<at::Tensor> grads) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  begin_backward(grads);
  if (placed_) return placed_->backward(grads_, costs_);
  compute_gradients();
}

void GraphModule::begin_backward(c10::ArrayRef<at::Tensor> grads) {
  for (std::size_t i = 0; i < outputs_.size(); ++i) grads_[outputs_[i].slot] = grads[i].to(outputs_[i].type);
}

void GraphModule::compute_backward(std::size_t layer) { passes_->backward(layer, grads_, nullptr); }

std::vector<std::size_t> GraphModule::output_layers() const {
  std::vector<std::size_t> layers;
  for (const Output& output : outputs_) {
    if (output.slot >= inputs_) layers.push_back(output.slot - inputs_);
  }
  return layers;
}

void GraphModule::compute_gradients() {
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const GraphStep& step = steps_[i];
    const at::Tensor arrived = std::move(grads_[inputs_ + i]);
    grads_[inputs_ + i] = at::Tensor();
    if (!step.trains) continue;
    LayerCost* const cost = cost_of(costs_, i);
    const Lap lap(cost != nullptr && arrived.defined() ? &cost->backward : nullptr);
    std::vector<at::Tensor> leaving = step.backward(arrived);
    step.add_ties();
    for (std::size_t k = 0; k < leaving.size(); ++k) {
      if (step.wanted[k] && leaving[k].defined()) add_gradient(grads_[step.inputs[k]], std::move(leaving[k]));
    }
  }
}

}  // namespace dlrun::nn
