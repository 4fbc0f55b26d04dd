// SPDX-License-Identifier: Apache-2.0
// The training split, batch by batch, in an order of its own for every epoch.
#pragma once
#include <cstdint>
#include <vector>

#include "data/data.hpp"

namespace dlrun::data {

/// Rows 0 … count - 1 shuffled (Fisher-Yates) by the stream {"order", replicate, epoch}.
std::vector<std::int64_t> epoch_order(std::uint64_t seed, int replicate, std::int64_t epoch, std::int64_t count);

/// Copies each batch's rows into one buffer that is used again and again.
/// A last batch of a single example is left out (batch norm has no variance there): another example in each epoch.
class Batches {
 public:
  /// @param data  lent for as long as this lives
  Batches(const Data& data, std::int64_t batch_size, std::uint64_t seed, int replicate);

  /// Batches in an epoch.
  std::int64_t count() const { return count_; }
  /// Shuffles for an epoch, counted from 1.
  void begin_epoch(std::int64_t epoch);
  /// Batch `index` of the epoch; valid until the next call.
  Examples batch(std::int64_t index);

 private:
  const Data& data_;
  std::int64_t batch_size_, count_;
  std::uint64_t seed_;
  int replicate_;
  std::vector<std::int64_t> rows_;  ///< of the data set, in this epoch's order
  Examples whole_, rest_;           ///< buffers of a whole batch, and of the epoch's last where it is smaller
};

}  // namespace dlrun::data
