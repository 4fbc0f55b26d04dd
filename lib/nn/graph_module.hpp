// SPDX-License-Identifier: Apache-2.0
// A model that can be trained: the graph's layers, wired.
#pragma once
#include <memory>
#include <vector>

#include "model/graph.hpp"
#include "nn/layer.hpp"
#include "nn/parameters.hpp"

namespace dlrun::nn {

/// Runs the graph forward and backward on the CPU. Equal graph, streams and calls give equal bits (one numerics class).
/// Why no autograd: for the digits MLP (64-128-10, batch 32) building and walking its graph costs more than the
/// arithmetic. Gradients are written, not accumulated, for each parameter is used once in a pass.
class GraphModule {
 public:
  /// Builds and initialises. @throws Error(usage) for an op that is not known here or a graph of several inputs.
  GraphModule(const model::Graph& graph, Streams streams);
  ~GraphModule();

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }

  /// @param x  [B, ...input] float32, contiguous; lent until backward
  /// @return   [B, ...output] float32
  at::Tensor forward(const at::Tensor& x, const Pass& pass);
  /// Writes the gradient of every parameter. REQUIRES: the last forward was a training pass.
  /// @param grad  gradient of the output, shaped like it
  void backward(const at::Tensor& grad);

 private:
  struct Step;  ///< a layer, where its inputs come from, and which of their gradients are wanted

  Parameters parameters_;
  std::vector<Step> steps_;
  std::size_t output_ = 0;          ///< slot: 0 is the input, i + 1 the value of step i
  std::vector<at::Tensor> values_;  ///< by slot, during forward
  std::vector<at::Tensor> grads_;   ///< by slot, during backward
};

}  // namespace dlrun::nn
