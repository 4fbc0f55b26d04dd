// SPDX-License-Identifier: Apache-2.0
// A model that can be trained: the graph's layers, wired.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "model/graph.hpp"
#include "nn/layer.hpp"
#include "nn/layer_cost.hpp"
#include "nn/parameters.hpp"
#include "nn/placed_passes.hpp"

namespace dlrun::nn {

/// Runs the graph forward and backward on one device. Equal graph, streams and calls give equal bits (one numerics
/// class). Why no autograd: for the digits MLP (64-128-10, batch 32) building and walking its graph costs more than the
/// arithmetic. Gradients are written, not accumulated, for each parameter is used once in a pass; but where nodes share
/// a tensor, their gradients are added.
/// In a lower precision forward runs under autocast, and gradients flow in the type of what they belong to.
class GraphModule {
 public:
  /// Builds and initialises. @throws Error(usage) for an op that is not known here.
  GraphModule(const model::Graph& graph, Streams streams, const Compute& compute = {});
  /// A module for another pass at the same time: the weights and buffers of `of`, but gradients of its own.
  /// REQUIRES: the graph and streams of `of`.
  GraphModule(const model::Graph& graph, Streams streams, const GraphModule& of);
  ~GraphModule();

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }

  /// @param inputs  one for each of graph.interface.inputs, in that order (by name): [B, ...shape], contiguous, float32
  ///                or, for indices, int64; lent until backward
  ///                all on the device, as gradients are
  /// @return        [B, ...output] float32, in every precision
  at::Tensor forward(c10::ArrayRef<at::Tensor> inputs, const Pass& pass) { return forward_all(inputs, pass).front(); }
  /// Values of every output, in the order of graph.outputs; an auxiliary one is computed in training passes only, else
  /// undefined.
  std::vector<at::Tensor> forward_all(c10::ArrayRef<at::Tensor> inputs, const Pass& pass);
  /// Writes the gradient of every parameter. REQUIRES: the last forward was a training pass.
  /// @param grads  gradient of each output, shaped like it; float32
  void backward(c10::ArrayRef<at::Tensor> grads);

  /// The same piece by piece, for a pipeline: begin(), compute() of each layer, outputs(); then begin_backward(),
  /// compute_backward() of each layer, end_backward(). Layers stand in an order that LayerPasses allows.
  void begin(c10::ArrayRef<at::Tensor> inputs);
  void compute(std::size_t layer, const Pass& pass);
  std::vector<at::Tensor> outputs();
  void begin_backward(c10::ArrayRef<at::Tensor> grads);
  void compute_backward(std::size_t layer);
  void end_backward() { passes_->add_ties(); }
  const LayerPasses& passes() const { return *passes_; }
  /// Layers that have the outputs; inputs of the model are none.
  std::vector<std::size_t> output_layers() const;

  /// From now on layers are computed by several devices of this machine, with the same bits.
  /// REQUIRES: a model on the CPU. @throws Error(internal) as PlacedPasses.
  void place(std::shared_ptr<DeviceThreads> threads, DeviceOrders orders);

  /// Lets training passes write there what each layer (in the order of graph.nodes) costs; nullptr: no more.
  void measure_into(std::vector<LayerCost>* costs) { costs_ = costs; }

 private:
  struct Output {
    std::size_t slot;
    at::ScalarType type;  ///< as its layer gave it
  };
  GraphModule(const model::Graph& graph, Streams streams, const Compute& compute, Parameters parameters);
  void tie(const std::string& shared, const std::string& of, GraphStep& owner);
  void compute_values(const Pass& pass);
  void compute_gradients();

  Parameters parameters_;
  Compute compute_;
  std::vector<GraphStep> steps_;
  std::optional<LayerPasses> passes_;  ///< over steps_
  std::size_t inputs_ = 0;             ///< the first slots are the inputs, slot inputs_ + i is the value of step i
  std::vector<Output> outputs_;
  std::vector<at::Tensor> values_;  ///< by slot, during forward
  std::vector<at::Tensor> grads_;   ///< by slot, during backward
  std::vector<LayerCost>* costs_ = nullptr;
  std::unique_ptr<PlacedPasses> placed_;  ///< nullptr: one device computes all
};

}  // namespace dlrun::nn
