// SPDX-License-Identifier: Apache-2.0
#include "nn/placed_passes.hpp"

#include "util/error.hpp"

namespace dlrun::nn {

PlacedPasses::PlacedPasses(LayerPasses& passes, std::shared_ptr<DeviceThreads> threads, DeviceOrders orders)
    : passes_(passes),
      threads_(std::move(threads)),
      forward_(std::move(orders.forward), passes.producers()),
      backward_(std::move(orders.backward), passes.readers()) {
  if (forward_.devices() != threads_->devices() || backward_.devices() != threads_->devices())
    throw Error(ErrorKind::internal, "there are orders for more or fewer devices than there are");
}

void PlacedPasses::forward(std::vector<at::Tensor>& values, const Pass& pass, const Compute& compute,
                           std::vector<LayerCost>* costs) {
  forward_.run(*threads_,
               [&](std::size_t layer) { passes_.forward(layer, values, pass, compute, cost_of(costs, layer)); });
}

void PlacedPasses::backward(std::vector<at::Tensor>& grads, std::vector<LayerCost>* costs) {
  backward_.run(*threads_, [&](std::size_t layer) { passes_.backward(layer, grads, cost_of(costs, layer)); });
  passes_.add_ties();  // also of layers on other devices
}

}  // namespace dlrun::nn
