// SPDX-License-Identifier: Apache-2.0
// Rounds of a study: the members of each trial on their way to a rung.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "trial/trial.hpp"

namespace dlrun::study {

/// Pieces that lead the members of one trial to one rung. A round is over when no piece is pending or owed; only then
/// does the trial have a value at the rung.
struct Round {
  int piece = 0;
  std::int64_t epochs = 0;  ///< epochs of each member's piece
  bool is_retry = false;    ///< a person asked for the round
  bool has_failed = false;  ///< visibly: then nothing more is owed
  int pending = 0;          ///< members whose piece is decided and not visible
  std::vector<int> owed;    ///< members whose piece is not decided yet, in order
  std::vector<std::vector<std::pair<std::int64_t, double>>> curves;  ///< curves of visible members, in logical order

  bool is_over() const { return pending == 0 && owed.empty(); }
  bool owes(int member) const { return std::find(owed.begin(), owed.end(), member) != owed.end(); }
  std::int64_t owed_epochs() const { return epochs * static_cast<std::int64_t>(owed.size()); }
};

/// All rounds that are not over, at most one for each trial. Owed pieces are served in the order of the rounds.
class Rounds {
 public:
  void open(trial::TrialId trial, Round round) {
    if (!round.owed.empty()) order_.push_back(trial);
    owed_epochs_ += round.owed_epochs();
    rounds_.insert_or_assign(trial, std::move(round));
  }
  void close(trial::TrialId trial) {
    drop_owed(trial);
    rounds_.erase(trial);
  }
  /// A member's piece was decided. REQUIRES: the round owes it.
  void settle(trial::TrialId trial, int member) {
    Round& round = rounds_.at(trial);
    std::erase(round.owed, member);
    owed_epochs_ -= round.epochs;
    ++round.pending;
    if (round.owed.empty()) std::erase(order_, trial);
  }
  /// Members whose piece is not decided get none: one of the others failed, or the trial is given up.
  void drop_owed(trial::TrialId trial) {
    Round* round = find(trial);
    if (!round) return;
    owed_epochs_ -= round->owed_epochs();
    round->owed.clear();
    std::erase(order_, trial);
  }
  /// The round of a trial; null: none is open.
  Round* find(trial::TrialId trial) {
    const auto found = rounds_.find(trial);
    return found == rounds_.end() ? nullptr : &found->second;
  }
  const Round* find(trial::TrialId trial) const { return const_cast<Rounds*>(this)->find(trial); }
  /// Trials that owe, oldest round first.
  const std::deque<trial::TrialId>& owing() const { return order_; }
  /// Epochs of all owed pieces.
  std::int64_t owed_epochs() const { return owed_epochs_; }

 private:
  std::map<trial::TrialId, Round> rounds_;
  std::deque<trial::TrialId> order_;
  std::int64_t owed_epochs_ = 0;
};

}  // namespace dlrun::study
