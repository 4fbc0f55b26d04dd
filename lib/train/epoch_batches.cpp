// SPDX-License-Identifier: Apache-2.0
#include "train/epoch_batches.hpp"

namespace dlrun::train {

EpochBatches::EpochBatches(const data::Data& data, const data::BatchOptions& options, const nn::Streams& streams,
                           at::Device device, const std::optional<Partition::Options>& partition)
    : batches_(data, options, streams.seed, streams.replicate), feed_(batches_, device) {
  if (partition) partition_.emplace(*partition, data, streams);
}

void EpochBatches::begin(std::int64_t epoch) {
  if (drawn_ == epoch) return;
  drawn_ = epoch;
  partition_ ? batches_.begin_epoch(epoch, partition_->begin(epoch)) : batches_.begin_epoch(epoch);
  feed_.forget();
}

}  // namespace dlrun::train
