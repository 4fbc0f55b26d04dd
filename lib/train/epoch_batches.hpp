// SPDX-License-Identifier: Apache-2.0
// The batches of the epoch under way, on the device that computes.
#pragma once
#include <cstdint>

#include "data/batches.hpp"
#include "nn/layer.hpp"
#include "train/feed.hpp"

namespace dlrun::train {

/// Draws an epoch's order once, when the epoch is first asked for.
class EpochBatches {
 public:
  /// @param data  lent for as long as this lives
  EpochBatches(const data::Data& data, const data::BatchOptions& options, const nn::Streams& streams,
               at::Device device);

  /// Batches in an epoch.
  std::int64_t count() const { return batches_.count(); }
  /// The batches from now on are those of this epoch, from 1.
  void begin(std::int64_t epoch);
  /// The next begin() draws the order again, whatever its epoch.
  void restart() { drawn_ = 0; }

  /// Batch `index`; valid until the next call of take() or batch().
  data::Examples take(std::int64_t index) { return feed_.take(index); }
  /// Begins to bring the batch that take() will be asked for next.
  void prepare(std::int64_t index) { feed_.prepare(index); }
  /// Batch `index` on the CPU, out of turn.
  data::Examples batch(std::int64_t index) { return batches_.batch(index); }

 private:
  data::Batches batches_;
  Feed feed_;
  std::int64_t drawn_ = 0;  ///< the epoch whose order batches_ holds
};

}  // namespace dlrun::train
