// SPDX-License-Identifier: Apache-2.0
// Epochs for which a partition by importance stays: a warm-up, then intervals of equal length. Epochs that make no
// whole interval belong to the last one.
#pragma once
#include <algorithm>
#include <cstdint>

#include "dataset/partition_section.hpp"

namespace dlrun::train {

class Intervals {
 public:
  /// @param epochs  of the whole training
  Intervals(const dataset::Partition& settings, std::int64_t epochs)
      : warmup_(settings.warmup_epochs),
        length_(settings.interval_epochs),
        count_(std::max<std::int64_t>(1, (epochs - settings.warmup_epochs) / settings.interval_epochs)),
        ignored_(settings.importance->ignore_epochs),
        takes_last_(settings.importance->aggregate == "last") {}

  bool is_warmup(std::int64_t epoch) const { return epoch <= warmup_; }
  /// Number of an epoch's interval, from 0. REQUIRES: it is after the warm-up.
  std::int64_t of(std::int64_t epoch) const { return std::min((epoch - warmup_ - 1) / length_, count_ - 1); }
  std::int64_t first_epoch(std::int64_t interval) const { return warmup_ + interval * length_ + 1; }

  /// Whether losses of the epoch decide about the interval after it.
  bool collects(std::int64_t epoch) const {
    const std::int64_t next = is_warmup(epoch) ? 0 : of(epoch) + 1;
    if (next >= count_) return false;
    return takes_last_ ? epoch + 1 == first_epoch(next) : !is_warmup(epoch) || epoch > ignored_;
  }

 private:
  std::int64_t warmup_, length_, count_, ignored_;
  bool takes_last_;
};

}  // namespace dlrun::train
