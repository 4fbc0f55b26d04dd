// SPDX-License-Identifier: Apache-2.0
// A layer in its place in a model, for GraphModule and PlacedPasses.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include <ATen/ops/add.h>

#include "nn/layer.hpp"
#include "nn/layer_cost.hpp"

namespace dlrun::nn {

/// A tensor that several nodes use: after its owner's backward, the last of theirs, the others' gradients are added.
struct Tie {
  at::Tensor from, into;
};

struct GraphStep {
  std::unique_ptr<Layer> layer;
  std::vector<std::size_t> inputs;         ///< slots
  std::vector<bool> wanted;                ///< whether the gradient of inputs[i] leads to a parameter
  bool trains = false;                     ///< whether a parameter lies here or above
  bool is_measured = false;                ///< whether an output that is not auxiliary needs it
  std::vector<at::Tensor> grads;           ///< gradients that its backward writes
  std::vector<Tie> ties;                   ///< ties of tensors that later nodes share
  std::optional<std::size_t> behind = {};  ///< the step that writes the same buffers before it

  bool takes_part(const Pass& pass) const { return pass.training || is_measured; }
  /// @param values  by slot    @param cost  written where it is not nullptr
  at::Tensor forward(const std::vector<at::Tensor>& values, const Pass& pass, LayerCost* cost) const;
  /// Writes its gradients, without those of ties. @param arrived  gradient of its output; undefined: no reader sent one
  /// @return gradients of its inputs; empty where none was sent
  std::vector<at::Tensor> backward(const at::Tensor& arrived) const;
  void add_ties() const {
    for (const Tie& tie : ties) tie.into.add_(tie.from);
  }
};

/// Adds a gradient to those that have come before.
inline void add_gradient(at::Tensor& sum, at::Tensor more) {
  sum = sum.defined() ? at::add(sum, more) : std::move(more);
}

}  // namespace dlrun::nn
