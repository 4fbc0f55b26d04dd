// SPDX-License-Identifier: Apache-2.0
#include "train/feed.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace dlrun::train {

struct Feed::Underway {
  explicit Underway(at::Device device)
      : guard(device.type()), copies(guard.getStreamFromGlobalPool(device)), arrived(device.type()) {}

  c10::impl::VirtualGuardImpl guard;
  c10::Stream copies;
  c10::Event arrived;
  std::int64_t index = -1;  ///< -1: nothing is under way
  data::Examples batch;
};

Feed::Feed(data::Batches& batches, at::Device device) : batches_(batches), device_(device) {
  if (!device.is_cpu()) underway_ = std::make_unique<Underway>(device);
}

Feed::~Feed() = default;

data::Examples Feed::fetch_batch(std::int64_t index) {
  if (!underway_) return batches_.batch(index);
  if (underway_->index != index) prepare(index);
  const c10::Stream computes = underway_->guard.getStream(device_);
  underway_->arrived.block(computes);
  for (at::Tensor& input : underway_->batch.inputs) input.record_stream(computes);
  underway_->index = -1;
  return std::move(underway_->batch);
}

/// The buffers of the batch before are free once its copy has arrived.
void Feed::prepare(std::int64_t index) {
  if (!underway_ || index >= batches_.count()) return;
  underway_->arrived.synchronize();
  data::Examples batch = batches_.batch(index).with_own_targets();
  const c10::StreamGuard stream(underway_->copies);
  for (at::Tensor& input : batch.inputs) input = input.to(device_, /*non_blocking=*/true);
  underway_->arrived.record(underway_->copies);
  underway_->batch = std::move(batch);
  underway_->index = index;
}

void Feed::forget() {
  if (underway_) underway_->index = -1;
}

data::Examples on_device(data::Examples examples, at::Device device) {
  if (device.is_cpu()) return examples;
  for (at::Tensor& input : examples.inputs) input = input.to(device);
  return examples;
}

}  // namespace dlrun::train
