// SPDX-License-Identifier: Apache-2.0
#include "train/network.hpp"

#include <ATen/core/LegacyTypeDispatch.h>

#include "recipe/device_plan.hpp"
#include "train/feed.hpp"
#include "train/gradients.hpp"
#include "train/statistics.hpp"

namespace dlrun::train {

Network::Network(const model::Graph& graph, nn::Streams streams, nn::Precision precision, const Placement& placement)
    : graph_(graph),
      placement_(placement),
      module_(graph, streams, {precision, placement.device}),
      host_(module_.parameters(), graph, placement.has_host_copy),
      streams_(streams) {}

const nn::Parameters& Network::parameters() const {
  if (is_host_old_) host_.fetch_values();
  is_host_old_ = false;
  return host_.parameters();
}

double Network::weight_norm() const { return norm_of(moved().values()); }

void Network::place(const recipe::PlacementConfig& config, std::int64_t batch, std::int64_t batches) {
  recipe::DevicePlan plan = recipe::plan_devices(graph_, config, {placement_.parts, batch, int(batches)});
  simulated_seconds_ = plan.seconds;
  const auto threads = std::make_shared<nn::DeviceThreads>(placement_.parts, placement_.threads);
  module_.place(threads, {std::move(plan.forward), std::move(plan.backward)});
  if (plan.pipeline)
    pipeline_ = std::make_unique<nn::Pipeline>(
        graph_, streams_, module_, threads, std::size_t(batches),
        [orders = std::move(*plan.pipeline)](std::size_t count) { return orders.of(int(count)); });
}

void Network::pass_batches(const std::vector<data::Examples>& batches, std::int64_t number,
                           const nn::Pipeline::LossOf& loss_of) {
  std::vector<nn::PartInput> parts;
  for (const data::Examples& batch : batches)
    parts.push_back({batch.inputs, {.training = true, .step = number + std::int64_t(parts.size())}});
  pipeline_->run(parts, loss_of);
}

std::vector<at::Tensor> Network::forward(const data::Examples& batch, std::int64_t number) {
  return module_.forward_all(batch.inputs, {.training = true, .step = number});
}

std::vector<at::Tensor> Network::evaluate(const data::Examples& part) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const data::Examples there = on_device(part, device());
  std::vector<at::Tensor> outputs = module_.forward_all(there.inputs, {.training = false, .step = 0});
  for (at::Tensor& output : outputs) {
    if (output.defined()) output = output.cpu();
  }
  return outputs;
}

void Network::backward(std::vector<at::Tensor> grads) {
  for (at::Tensor& grad : grads) grad = grad.to(device());
  module_.backward(grads);
  if (!placement_.takes_steps) host_.fetch_grads();
}

void Network::reset_statistics() { train::reset_statistics(graph_, module_.parameters()); }

void Network::add_statistics(const data::Examples& batch, std::int64_t number) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  train::add_statistics(module_, on_device(batch, device()), number);
}

void Network::note_moved() { placement_.takes_steps ? void(is_host_old_ = true) : host_.send_values(); }

void Network::set_weights() {
  host_.send_all();
  is_host_old_ = false;
}

void Network::fetch_grads() const {
  if (placement_.takes_steps) host_.fetch_grads();
}

void Network::exchange(Average& average) {
  exchanged_ = exchanged_ == nullptr ? &average : nullptr;
  if (placement_.takes_steps) {
    average.swap(module_.parameters());
    is_host_old_ = true;
    return;
  }
  host_.fetch_buffers();
  average.swap(host_.parameters());
  host_.send_all();
}

}  // namespace dlrun::train
