// SPDX-License-Identifier: Apache-2.0
// A layer that is written forward only: its backward is autograd's, over a small graph of the layer's own. For kinds
// whose arithmetic outweighs the bookkeeping (about 10 us a pass); what small nets are made of is written by hand.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "nn/layer.hpp"

namespace dlrun::nn {

/// A node's tensors by local name while the layer runs.
class Tensors {
 public:
  /// The tensor; an undefined one where the node has none of this name (a bias that is off).
  const at::Tensor& operator[](std::string_view local) const;
  /// The tensor, or nothing, as ATen's functions want an optional weight.
  std::optional<at::Tensor> optional(std::string_view local) const;

 private:
  friend class AutogradLayer;
  std::vector<std::pair<std::string, at::Tensor>> all_;
};

/// REQUIRES of compute(): a pure function of inputs, tensors and pass, in differentiable operations of ATen. It may
/// change a buffer in place in training (running statistics), nothing else.
class AutogradLayer : public Layer {
 public:
  explicit AutogradLayer(const Scope& scope);

  at::Tensor forward(c10::ArrayRef<at::Tensor> inputs, const Pass& pass) final;
  std::vector<at::Tensor> backward(const at::Tensor& grad, const std::vector<bool>& wanted) final;
  bool takes_low_precision() const final { return true; }

 protected:
  /// @param inputs  as Layer::forward; those of indices (int64) have no gradient
  /// @return        [B, ...node.out]; under autocast of any type that holds numbers
  virtual at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass& pass) = 0;

  /// The node's tensors, for initialise(). @throws Error(internal) where it has no such tensor.
  const Parameter& parameter(std::string_view local) const;
  /// nullptr where the node has no such tensor.
  const Parameter* find(std::string_view local) const;

 private:
  std::vector<std::pair<std::string, Parameter>> parameters_;  ///< by local name, buffers too
  Tensors tensors_;                                            ///< as compute() sees them outside of training
  // Between a training pass and its backward:
  std::vector<at::Tensor> inputs_;  ///< leaves
  std::vector<at::Tensor> leaves_;  ///< one for each of parameters_, undefined for a buffer
  at::Tensor output_;
};

}  // namespace dlrun::nn
