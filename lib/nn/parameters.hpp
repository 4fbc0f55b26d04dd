// SPDX-License-Identifier: Apache-2.0
// All numbers that training changes, in one contiguous buffer, so that an optimiser step, a copy or a hash is one loop.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/graph.hpp"

namespace dlrun::nn {

/// A tensor of the model under its full name ("fc1.weight"), as PyTorch's state_dict would call it.
struct Parameter {
  std::string name;
  at::Tensor value;         ///< trainable: a view into Parameters::values()
  at::Tensor grad;          ///< view into Parameters::grads(); undefined for a buffer
  std::int64_t offset = 0;  ///< trainable: place of the first number in the flat buffers
  bool trainable = true;
};

/// Every tensor begins at a multiple of 64 bytes (model/flat.hpp). The gaps hold zeros in values and gradients, which
/// every optimiser leaves at zero. All lie on one device but num_batches_tracked, which nothing computes with: it is
/// counted on the CPU.
class Parameters {
 public:
  explicit Parameters(const model::Graph& graph, at::Device device = at::kCPU);

  /// The same tensors with gradients of their own.
  Parameters with_own_grads() const;

  /// [n] float32, all trainable tensors one after the other.
  const at::Tensor& values() const { return values_; }
  /// [n] float32; backward writes every trainable tensor's part anew.
  const at::Tensor& grads() const { return grads_; }
  /// Trainable tensors and buffers (running_mean, …) in the order of the graph's nodes.
  const std::vector<Parameter>& all() const { return all_; }
  /// nullptr where there is none.
  const Parameter* find(const std::string& name) const;
  /// A tensor that node `name`'s layer uses under this full name but another node owns: the owner's value, and a
  /// gradient of its own, which GraphModule adds to the owner's. nullptr where there is none.
  const Parameter* find_shared(const std::string& name) const;

 private:
  void share(const std::string& name, const std::string& of);

  at::Tensor values_, grads_;
  std::vector<Parameter> all_, shared_;
};

}  // namespace dlrun::nn
