// SPDX-License-Identifier: Apache-2.0
#include "nn/graph_module.hpp"

#include <algorithm>
#include <map>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/add.h>

#include "util/error.hpp"

namespace dlrun::nn {

/// A tensor that several nodes use: after its owner's backward, the last of theirs, the others' gradients are added.
struct GraphModule::Tie {
  at::Tensor from, into;
};

struct GraphModule::Step {
  std::unique_ptr<Layer> layer;
  std::vector<std::size_t> inputs;  ///< slots
  std::vector<bool> wanted;         ///< whether the gradient of inputs[i] leads to a parameter
  bool trains = false;              ///< whether a parameter lies here or above
  bool is_measured = false;         ///< whether an output that is not auxiliary needs it
  std::vector<at::Tensor> grads;    ///< gradients that its backward writes
  std::vector<Tie> ties;            ///< ties of tensors that later nodes share
};

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

/// 0 where it is a view of an input.
std::int64_t own_bytes(const at::Tensor& output, const std::vector<at::Tensor>& inputs) {
  const bool is_view =
      std::any_of(inputs.begin(), inputs.end(), [&](const at::Tensor& x) { return output.is_alias_of(x); });
  return is_view ? 0 : std::int64_t(output.nbytes());
}

}  // namespace

GraphModule::GraphModule(const model::Graph& graph, Streams streams, const Compute& compute)
    : parameters_(graph, compute.device), precision_(compute.precision) {
  std::map<std::string, std::size_t> slots;
  for (const auto& [name, input] : graph.interface.inputs) slots.emplace(name, slots.size());
  inputs_ = slots.size();
  for (const model::Node& node : graph.nodes) {
    const Scope scope(node, parameters_, streams);
    Step step{make_layer(scope, precision_), {}, {}, has_trainable(node), false, gradients_of(scope), {}};
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
  // The owner of a shared tensor stands first and has the last word.
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) step->layer->initialise(streams);
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
}

GraphModule::~GraphModule() = default;

void GraphModule::tie(const std::string& shared, const std::string& of, Step& owner) {
  const Parameter *from = parameters_.find_shared(shared), *into = parameters_.find(of);
  if (from && into && into->trainable) owner.ties.push_back({from->grad, into->grad});
}

std::vector<at::Tensor> GraphModule::forward_all(c10::ArrayRef<at::Tensor> given, const Pass& pass) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const Autocast autocast(parameters_.values().device().type(), precision_);
  std::copy(given.begin(), given.end(), values_.begin());
  std::vector<at::Tensor> inputs;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!pass.training && !steps_[i].is_measured) continue;
    inputs.clear();
    for (const std::size_t slot : steps_[i].inputs) inputs.push_back(values_[slot]);
    const Lap lap(costs_ != nullptr ? &(*costs_)[i].forward : nullptr);
    values_[inputs_ + i] = steps_[i].layer->forward(inputs, pass);
    if (costs_ != nullptr) (*costs_)[i].activation = own_bytes(values_[inputs_ + i], inputs);
  }
  std::vector<at::Tensor> outputs;
  for (Output& output : outputs_) {
    const at::Tensor& value = values_[output.slot];
    if (value.defined()) output.type = value.scalar_type();
    outputs.push_back(value.defined() ? value.to(at::kFloat) : value);
  }
  std::fill(values_.begin(), values_.end(), at::Tensor());
  return outputs;
}

void GraphModule::backward(c10::ArrayRef<at::Tensor> grads) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  for (std::size_t i = 0; i < outputs_.size(); ++i) grads_[outputs_[i].slot] = grads[i].to(outputs_[i].type);
  for (std::size_t i = steps_.size(); i-- > 0;) {
    Step& step = steps_[i];
    const at::Tensor arrived = std::move(grads_[inputs_ + i]);
    grads_[inputs_ + i] = at::Tensor();
    if (!step.trains) continue;
    if (!arrived.defined()) {  // none of its readers sent a gradient
      for (at::Tensor& own : step.grads) own.zero_();
      for (Tie& tie : step.ties) tie.into.add_(tie.from);
      continue;
    }
    const Lap lap(costs_ != nullptr ? &(*costs_)[i].backward : nullptr);
    std::vector<at::Tensor> leaving = step.layer->backward(arrived, step.wanted);
    for (Tie& tie : step.ties) tie.into.add_(tie.from);
    for (std::size_t k = 0; k < leaving.size(); ++k) {
      if (!step.wanted[k] || !leaving[k].defined()) continue;
      at::Tensor& sum = grads_[step.inputs[k]];
      sum = sum.defined() ? at::add(sum, leaving[k]) : std::move(leaving[k]);
    }
  }
}

}  // namespace dlrun::nn
