// SPDX-License-Identifier: Apache-2.0
#include "nn/placed_passes.hpp"

#include <ATen/core/LegacyTypeDispatch.h>

#include "util/error.hpp"

namespace dlrun::nn {

namespace {

using Orders = std::vector<std::vector<std::size_t>>;

/// Plays the orders: every device goes on until it would wait. @param needs  layers that a layer waits for
bool can_end(const Orders& orders, const Orders& needs) {
  std::vector<bool> done(needs.size(), false);
  std::vector<std::size_t> at(orders.size(), 0);
  std::size_t count = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t device = 0; device < orders.size(); ++device) {
      for (; at[device] < orders[device].size(); ++at[device], ++count, moved = true) {
        const std::size_t layer = orders[device][at[device]];
        bool is_ready = layer < needs.size() && !done[layer];
        for (std::size_t i = 0; is_ready && i < needs[layer].size(); ++i) is_ready = done[needs[layer][i]];
        if (!is_ready) break;
        done[layer] = true;
      }
    }
  }
  std::size_t given = 0;
  for (const auto& order : orders) given += order.size();
  return count == needs.size() && given == count;
}

}  // namespace

void Computed::note(std::size_t layer) {
  {
    const std::lock_guard lock(mutex_);
    is_done_[layer] = true;
  }
  changed_.notify_all();
}

void Computed::wait_for(std::size_t layer) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_abandoned_ || is_done_[layer]; });
  if (is_abandoned_) throw Abandoned{};
}

void Computed::abandon() {
  {
    const std::lock_guard lock(mutex_);
    is_abandoned_ = true;
  }
  changed_.notify_all();
}

PlacedPasses::PlacedPasses(const std::vector<GraphStep>& steps, std::size_t inputs,
                           std::shared_ptr<DeviceThreads> threads, DeviceOrders orders)
    : steps_(steps),
      inputs_(inputs),
      threads_(std::move(threads)),
      orders_(std::move(orders)),
      readings_(steps.size()),
      leaving_(steps.size()) {
  find_readings();
  require_orders();
}

void PlacedPasses::find_readings() {
  for (std::size_t i = steps_.size(); i-- > 0;) {
    for (std::size_t k = 0; k < steps_[i].inputs.size(); ++k) {
      if (steps_[i].inputs[k] >= inputs_) readings_[steps_[i].inputs[k] - inputs_].push_back({i, k});
    }
  }
}

void PlacedPasses::require_orders() const {
  Orders producers(steps_.size()), readers(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (const Reading& reading : readings_[i]) {
      producers[reading.step].push_back(i);
      readers[i].push_back(reading.step);
    }
  }
  const auto devices = std::size_t(threads_->devices());
  const bool fits = orders_.forward.size() == devices && orders_.backward.size() == devices;
  if (!fits || !can_end(orders_.forward, producers) || !can_end(orders_.backward, readers))
    throw Error(ErrorKind::internal, "the devices' orders of layers cannot be computed");
}

template <class ComputeOne>
void PlacedPasses::compute_all(const Orders& orders, const ComputeOne& compute_one) {
  Computed computed(steps_.size());
  threads_->run([&](int device) {
    try {
      for (const std::size_t i : orders[std::size_t(device)]) {
        compute_one(i, computed);
        computed.note(i);
      }
    } catch (const Computed::Abandoned&) {  // the device where it failed tells why
    } catch (...) {
      computed.abandon();
      throw;
    }
  });
}

void PlacedPasses::forward(std::vector<at::Tensor>& values, const Pass& pass, const Compute& compute,
                           std::vector<LayerCost>* costs) {
  compute_all(orders_.forward, [&](std::size_t i, Computed& computed) {
    const GraphStep& step = steps_[i];
    if (!step.takes_part(pass)) return;
    for (const std::size_t slot : step.inputs) {
      if (slot >= inputs_) computed.wait_for(slot - inputs_);
    }
    const at::AutoDispatchBelowADInplaceOrView no_autograd;
    const Autocast autocast(compute.device.type(), compute.precision);
    values[inputs_ + i] = step.forward(values, pass, cost_of(costs, i));
  });
}

void PlacedPasses::backward(std::vector<at::Tensor>& grads, std::vector<LayerCost>* costs) {
  compute_all(orders_.backward, [&](std::size_t i, Computed& computed) {
    for (const Reading& reading : readings_[i]) computed.wait_for(reading.step);
    const at::AutoDispatchBelowADInplaceOrView no_autograd;
    backward_of(i, grads, costs);
  });
  for (std::size_t i = steps_.size(); i-- > 0;) steps_[i].add_ties();  // also of layers on other devices
}

void PlacedPasses::backward_of(std::size_t i, std::vector<at::Tensor>& grads, std::vector<LayerCost>* costs) {
  const GraphStep& step = steps_[i];
  at::Tensor arrived = std::move(grads[inputs_ + i]);
  grads[inputs_ + i] = at::Tensor();
  for (const Reading& reading : readings_[i]) {
    if (reading.input >= leaving_[reading.step].size()) continue;  // the reader got no gradient itself
    at::Tensor& part = leaving_[reading.step][reading.input];
    if (part.defined() && step.trains) add_gradient(arrived, std::move(part));
    part = at::Tensor();
  }
  leaving_[i].clear();
  if (!step.trains) return;
  LayerCost* const cost = cost_of(costs, i);
  const Lap lap(cost != nullptr && arrived.defined() ? &cost->backward : nullptr);
  leaving_[i] = step.backward(arrived);
}

}  // namespace dlrun::nn
