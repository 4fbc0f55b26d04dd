// SPDX-License-Identifier: Apache-2.0
// Rungs of a study: the epochs that members have trained after each piece.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "study/trials.hpp"

namespace dlrun::study {

/// Epochs behind a member before a piece and after it.
struct Steps {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t count() const { return to - from; }
};

class Rungs {
 public:
  /// @param epochs  epochs at each rung, ascending; empty: the only rung is the whole budget
  /// @param budget  largest budget of a member, in epochs
  Rungs(std::vector<std::int64_t> epochs, std::int64_t budget) : epochs_(std::move(epochs)) {
    if (epochs_.empty()) epochs_ = {budget};
  }

  bool has(int rung) const { return static_cast<std::size_t>(rung) < epochs_.size(); }
  bool is_last(int rung) const { return !has(rung + 1); }
  /// REQUIRES: has(rung)
  std::int64_t epochs_at(int rung) const { return epochs_[static_cast<std::size_t>(rung)]; }
  /// Steps of a member's piece. The first piece of an heir starts where its donor stood.
  Steps steps_of(const Record& trial, int piece) const {
    const int rung = trial.rung_after(piece);
    const bool is_fresh = piece == 0 && !trial.donor.exists();
    return {is_fresh ? 0 : epochs_at(rung - 1), epochs_at(rung)};
  }

 private:
  std::vector<std::int64_t> epochs_;
};

}  // namespace dlrun::study
