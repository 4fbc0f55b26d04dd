// SPDX-License-Identifier: Apache-2.0
// A layer in its place in a model, for GraphModule and PlacedPasses.
#pragma once
#include <memory>
#include <vector>

#include <ATen/ops/add.h>

#include "nn/layer.hpp"

namespace dlrun::nn {

/// A tensor that several nodes use: after its owner's backward, the last of theirs, the others' gradients are added.
struct Tie {
  at::Tensor from, into;
};

struct GraphStep {
  std::unique_ptr<Layer> layer;
  std::vector<std::size_t> inputs;  ///< slots
  std::vector<bool> wanted;         ///< whether the gradient of inputs[i] leads to a parameter
  bool trains = false;              ///< whether a parameter lies here or above
  bool is_measured = false;         ///< whether an output that is not auxiliary needs it
  std::vector<at::Tensor> grads;    ///< gradients that its backward writes
  std::vector<Tie> ties;            ///< ties of tensors that later nodes share

  bool takes_part(const Pass& pass) const { return pass.training || is_measured; }
  void add_ties() const {
    for (const Tie& tie : ties) tie.into.add_(tie.from);
  }
  /// None of its readers sent a gradient.
  void zero_grads() const {
    for (const at::Tensor& own : grads) own.zero_();
  }
};

/// Adds a gradient to those that have come before.
inline void add_gradient(at::Tensor& sum, at::Tensor more) {
  sum = sum.defined() ? at::add(sum, more) : std::move(more);
}

/// 0 where it is a view of an input.
std::int64_t own_bytes(const at::Tensor& output, const std::vector<at::Tensor>& inputs);

}  // namespace dlrun::nn
