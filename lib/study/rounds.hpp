// SPDX-License-Identifier: Apache-2.0
// A trial's members on their way to a rung.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "trial/trial.hpp"

namespace dlrun::study {

/// The pieces that lead a trial's members to one rung. It is over when none is pending or owed; only then has the trial
/// a value there.
struct Round {
  int piece = 0;
  bool is_retry = false;    ///< a person asked for it
  bool has_failed = false;  ///< visibly: then nothing more is owed
  int pending = 0;          ///< members whose piece is decided and not visible
  std::vector<int> owed;    ///< members whose piece is not decided yet, in order
  std::vector<std::vector<std::pair<std::int64_t, double>>> curves;  ///< of the visible ones, in logical order

  bool is_over() const { return pending == 0 && owed.empty(); }
  bool owes(int member) const { return std::find(owed.begin(), owed.end(), member) != owed.end(); }
};

/// All rounds that are not over, at most one for each trial. What is owed is served in the order of the rounds.
class Rounds {
 public:
  Round& open(trial::TrialId trial, Round round) {
    order_.push_back(trial);
    return rounds_.insert_or_assign(trial, std::move(round)).first->second;
  }
  void close(trial::TrialId trial) {
    rounds_.erase(trial);
    std::erase(order_, trial);
  }
  void settle(trial::TrialId trial, int member) {
    Round& round = rounds_.at(trial);
    std::erase(round.owed, member);
    ++round.pending;
    if (round.owed.empty()) std::erase(order_, trial);
  }
  void drop_owed(trial::TrialId trial) {
    rounds_.at(trial).owed.clear();
    std::erase(order_, trial);
  }
  Round* find(trial::TrialId trial) {
    const auto found = rounds_.find(trial);
    return found == rounds_.end() ? nullptr : &found->second;
  }
  const Round* find(trial::TrialId trial) const { return const_cast<Rounds*>(this)->find(trial); }
  /// Trials that owe, oldest round first.
  const std::deque<trial::TrialId>& owing() const { return order_; }

 private:
  std::map<trial::TrialId, Round> rounds_;
  std::deque<trial::TrialId> order_;
};

}  // namespace dlrun::study
