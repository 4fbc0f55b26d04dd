// SPDX-License-Identifier: Apache-2.0
// The batches of the epoch under way, on the device that computes.
#pragma once
#include <cstdint>
#include <optional>

#include "data/batches.hpp"
#include "nn/layer.hpp"
#include "train/feed.hpp"
#include "train/partition.hpp"

namespace dlrun::train {

/// Draws an epoch's order once, when the epoch is first asked for.
class EpochBatches {
 public:
  /// @param data  lent for as long as this lives
  /// @param partition  the ranks' examples; nullopt: batches belong to all of them
  EpochBatches(const data::Data& data, const data::BatchOptions& options, const nn::Streams& streams, at::Device device,
               const std::optional<Partition::Options>& partition = {});

  /// Batches in an epoch.
  std::int64_t count() const { return deal().batches(); }
  /// Numbers that batches have; some have none where ranks have lists that are not equally long.
  std::int64_t numbers() const { return partition_ ? partition_->numbers() : batches_.count(); }
  parallel::Deal deal() const { return partition_ ? partition_->deal() : parallel::Deal(batches_.count()); }
  /// Whether losses of single examples of an epoch are asked for.
  bool collects(std::int64_t epoch) const { return partition_ && partition_->collects(epoch); }
  /// nullptr: there is none.
  Partition* partition() { return partition_ ? &*partition_ : nullptr; }
  /// The batches from now on are those of this epoch, from 1.
  void begin(std::int64_t epoch);
  /// The next begin() draws the order again, whatever its epoch.
  void restart() { drawn_ = 0; }

  /// Batch `index`; valid until the next call of fetch_batch() or batch().
  data::Examples fetch_batch(std::int64_t index) { return feed_.fetch_batch(index); }
  /// Begins to bring the batch that fetch_batch() will be asked for next.
  void prepare(std::int64_t index) { feed_.prepare(index); }
  /// Batch `index` on the CPU, out of turn.
  data::Examples batch(std::int64_t index) { return batches_.batch(index); }

 private:
  data::Batches batches_;
  std::optional<Partition> partition_;
  Feed feed_;
  std::int64_t drawn_ = 0;  ///< the epoch whose order batches_ holds
};

}  // namespace dlrun::train
