// SPDX-License-Identifier: Apache-2.0
// Visible results against the limits `target` and `stall`.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pareto/score.hpp"
#include "study/types.hpp"

namespace dlrun::study {

/// Says whether the search goes on, by the results that are visible so far.
class Progress {
 public:
  /// @param rules  outlive it, and may change; then recount()
  explicit Progress(const Rules& rules) : rules_(rules) {}

  /// A trial's result at a rung became visible. A trial counts once, with its first piece; a result that joins the
  /// front begins the count anew.
  /// @param score  nullopt: it failed
  void see(trial::TrialId id, int piece, const std::optional<pareto::Score>& score);
  /// The visible objective of a trial is as good as the target; the first one counts.
  void meet_target(trial::TrialId id) {
    if (!has_met_target()) target_met_by_ = id;
  }
  /// The limits have changed: which trials meet the target is told again.
  void recount();

  bool has_met_target() const { return target_met_by_.exists(); }
  /// No new trials, no promotions.
  bool is_over() const { return has_met_target() || has_stalled_; }
  /// Why. REQUIRES: is_over()
  std::string reason() const;

 private:
  bool joins_front(const pareto::Score& score);
  bool is_stall() const { return rules_.limits.stall && trials_since_best_ >= *rules_.limits.stall; }

  const Rules& rules_;
  trial::TrialId target_met_by_;
  trial::TrialId best_seen_;               ///< whose visible objective was the best so far
  std::vector<pareto::Score> front_seen_;  ///< results that none dominates; with one objective the best
  std::int64_t trials_since_best_ = 0;
  bool has_stalled_ = false;
};

}  // namespace dlrun::study
