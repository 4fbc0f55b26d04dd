// SPDX-License-Identifier: Apache-2.0
// Trials by state and their epochs, counted as they change: what a display and the summary need.
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
  /// A member has got as far as this many epochs; a retry that begins anew takes nothing away.
  void advance(const trial::Member& member, std::int64_t epochs);

  std::int64_t in(trial::TrialState state) const { return counts_[static_cast<std::size_t>(state)]; }
  std::int64_t started() const { return static_cast<std::int64_t>(states_.size()); }
  std::int64_t final() const;
  std::int64_t epochs() const { return epochs_; }  ///< epochs of all members of all trials together

 private:
  std::array<std::int64_t, 7> counts_{};
  std::vector<std::uint8_t> states_;  ///< by trial number
  trial::Members members_;
  std::vector<std::int32_t> steps_;  ///< epochs by trial number and member
  std::int64_t epochs_ = 0;
};

}  // namespace dlrun::driver
