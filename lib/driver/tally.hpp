// SPDX-License-Identifier: Apache-2.0
// Trials by state, counted as they change: what a display and the summary need.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "study/study.hpp"

namespace dlrun::driver {

class Tally {
 public:
  /// All trials of a study that was replayed.
  void count(const study::Study& study);
  void change(trial::TrialId trial, trial::TrialState state);

  std::int64_t in(trial::TrialState state) const { return counts_[static_cast<std::size_t>(state)]; }
  std::int64_t started() const { return static_cast<std::int64_t>(states_.size()); }
  std::int64_t final() const;

 private:
  std::array<std::int64_t, 7> counts_{};
  std::vector<std::uint8_t> states_;  ///< by trial number
};

}  // namespace dlrun::driver
