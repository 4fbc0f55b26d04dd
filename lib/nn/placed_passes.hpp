// SPDX-License-Identifier: Apache-2.0
// Passes of a model whose layers are computed by several devices of one machine at the same time.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "nn/device_threads.hpp"
#include "nn/graph_step.hpp"
#include "nn/layer_cost.hpp"

namespace dlrun::nn {

/// Layers of each device by their place in graph.nodes, in the order in which the device computes them.
struct DeviceOrders {
  std::vector<std::vector<std::size_t>> forward, backward;
};

/// Layers that have been computed in one pass. If one fails, nobody waits for the others.
class Computed {
 public:
  explicit Computed(std::size_t layers) : is_done_(layers, false) {}
  void note(std::size_t layer);
  /// @throws Abandoned where a layer failed
  void wait_for(std::size_t layer);
  void abandon();

  struct Abandoned {};

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> is_done_;
  bool is_abandoned_ = false;
};

/// The same bits as one device gives: every layer computes as it would alone, and gradients are added in the order of
/// one device, whenever they come.
class PlacedPasses {
 public:
  /// @param steps   lent for as long as this lives
  /// @param inputs  of the model, which are the first slots
  /// @throws Error(internal) for orders that lack a layer, have one twice or would wait for each other
  PlacedPasses(const std::vector<GraphStep>& steps, std::size_t inputs, std::shared_ptr<DeviceThreads> threads,
               DeviceOrders orders);

  /// Computes all values from those of the inputs. @param costs  of each layer, or nullptr
  void forward(std::vector<at::Tensor>& values, const Pass& pass, const Compute& compute,
               std::vector<LayerCost>* costs);
  /// Writes the gradients of every parameter. @param grads  by slot: those of the outputs; empty afterwards
  void backward(std::vector<at::Tensor>& grads, std::vector<LayerCost>* costs);

 private:
  struct Reading {
    std::size_t step = 0, input = 0;
  };
  void find_readings();
  void require_orders() const;
  template <class ComputeOne>
  void compute_all(const std::vector<std::vector<std::size_t>>& orders, const ComputeOne& compute_one);
  void backward_of(std::size_t i, std::vector<at::Tensor>& grads, std::vector<LayerCost>* costs);

  const std::vector<GraphStep>& steps_;
  std::size_t inputs_;
  std::shared_ptr<DeviceThreads> threads_;
  DeviceOrders orders_;
  std::vector<std::vector<Reading>>
      readings_;  ///< readers of each layer's value, in the order in which gradients are added
  std::vector<std::vector<at::Tensor>> leaving_;  ///< gradients of each layer's inputs, until they are added
};

}  // namespace dlrun::nn
