// SPDX-License-Identifier: Apache-2.0
// Passes of single layers, by whichever thread, in any order in which values and gradients are there.
#pragma once
#include <vector>

#include "nn/device_tasks.hpp"
#include "nn/graph_step.hpp"
#include "nn/layer_cost.hpp"

namespace dlrun::nn {

/// The same bits in every order: a layer computes as it would alone, and gradients of its value are added in the order
/// of one device, whenever they come.
class LayerPasses {
 public:
  /// @param steps   lent for as long as this lives    @param inputs  of the model, which are the first slots
  LayerPasses(const std::vector<GraphStep>& steps, std::size_t inputs);

  std::size_t layers() const { return steps_.size(); }
  /// Layers that each layer waits for: those whose values it reads, and the one that writes its buffers before it.
  TaskLists producers() const;
  /// For each layer the last one that writes its buffers: itself unless others share them.
  std::vector<std::size_t> last_writers() const;
  /// Layers that read the value of each.
  TaskLists readers() const;

  /// @param values  by slot    @param cost  of the layer, or nullptr
  void forward(std::size_t layer, std::vector<at::Tensor>& values, const Pass& pass, const Compute& compute,
               LayerCost* cost);
  /// Writes the gradients of the layer's parameters, without those of ties.
  /// @param grads  by slot: those of the outputs, which are taken
  void backward(std::size_t layer, std::vector<at::Tensor>& grads, LayerCost* cost);
  /// Adds gradients of tensors that several layers use, once all are there.
  void add_ties() const;

 private:
  struct Reading {
    std::size_t step = 0, input = 0;
  };
  at::Tensor arrived(std::size_t layer, std::vector<at::Tensor>& grads);

  const std::vector<GraphStep>& steps_;
  std::size_t inputs_;
  std::vector<std::vector<Reading>>
      readings_;  ///< readers of each layer's value, in the order in which gradients are added
  std::vector<std::vector<at::Tensor>> leaving_;  ///< gradients of each layer's inputs, until they are added
};

}  // namespace dlrun::nn
