// SPDX-License-Identifier: Apache-2.0
// Passes of a model whose layers are computed by several devices of one machine at the same time.
#pragma once
#include <memory>
#include <vector>

#include "nn/layer_passes.hpp"

namespace dlrun::nn {

/// Layers of each device by their place in graph.nodes, in the order in which the device computes them.
struct DeviceOrders {
  TaskLists forward, backward;
};

/// Passes have the same bits as on one device.
class PlacedPasses {
 public:
  /// @param passes  lent for as long as this lives
  /// @throws Error(internal) for orders that lack a layer, have one twice or would wait for each other
  PlacedPasses(LayerPasses& passes, std::shared_ptr<DeviceThreads> threads, DeviceOrders orders);

  /// Computes all values from those of the inputs. @param costs  of each layer, or nullptr
  void forward(std::vector<at::Tensor>& values, const Pass& pass, const Compute& compute,
               std::vector<LayerCost>* costs);
  /// Writes the gradients of every parameter. @param grads  by slot: those of the outputs; empty afterwards
  void backward(std::vector<at::Tensor>& grads, std::vector<LayerCost>* costs);

 private:
  LayerPasses& passes_;
  std::shared_ptr<DeviceThreads> threads_;
  DeviceTasks forward_, backward_;
};

}  // namespace dlrun::nn
