// SPDX-License-Identifier: Apache-2.0
#include "train/epoch_batches.hpp"

namespace dlrun::train {

EpochBatches::EpochBatches(const data::Data& data, const data::BatchOptions& options, const nn::Streams& streams,
                           at::Device device)
    : batches_(data, options, streams.seed, streams.replicate), feed_(batches_, device) {}

void EpochBatches::begin(std::int64_t epoch) {
  if (drawn_ == epoch) return;
  drawn_ = epoch;
  batches_.begin_epoch(epoch);
  feed_.forget();
}

}  // namespace dlrun::train
