// SPDX-License-Identifier: Apache-2.0
// Batches on the device that computes.
#pragma once
#include <memory>

#include <c10/core/Device.h>

#include "data/batches.hpp"

namespace dlrun::train {

/// On the CPU a batch is what Batches gives. On another device the inputs are copied there from pinned memory, on a
/// stream of their own, while the batch before is computed; targets stay on the CPU, where losses are taken.
class Feed {
 public:
  /// @param batches  lent; where the device is not the CPU, with pinned buffers
  Feed(data::Batches& batches, at::Device device);
  ~Feed();

  /// Batch `index` of the epoch that begin_epoch() drew last; valid until the next call.
  data::Examples fetch_batch(std::int64_t index);
  /// Begins to bring the batch that will be asked for next.
  void prepare(std::int64_t index);
  /// Drops a prepared batch, which is of another epoch.
  void forget();

 private:
  struct Underway;

  data::Batches& batches_;
  at::Device device_;
  std::unique_ptr<Underway> underway_;  ///< null on the CPU
};

/// The inputs there, targets as they are.
data::Examples on_device(data::Examples examples, at::Device device);

}  // namespace dlrun::train
