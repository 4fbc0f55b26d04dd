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

/// Answers whether the search continues, by the results that are visible so far.
class Progress {
 public:
  /// @param rules  outlive this object, and may change; then call recount()
  explicit Progress(const Rules& rules) : rules_(rules) {}

  /// A trial's result at a rung became visible. A trial counts once, with its first piece; a result that joins the
  /// front restarts the count.
  /// @param score  nullopt: it failed
  void see(trial::TrialId id, int piece, const std::optional<pareto::Score>& score);
  /// The visible objective of a trial is as good as the target; the first one counts.
  void meet_target(trial::TrialId id) {
    if (!has_met_target()) target_met_by_ = id;
  }
  /// The limits have changed. The caller repeats which trials meet the target.
  void recount();

  bool has_met_target() const { return target_met_by_.exists(); }
  /// May neither new trials nor promotions be decided?
  bool is_over() const { return has_met_target() || has_stalled_; }
  /// Why the search is over. REQUIRES: is_over()
  std::string reason() const;

 private:
  bool joins_front(const pareto::Score& score);
  bool is_stall() const { return rules_.limits.stall && trials_since_best_ >= *rules_.limits.stall; }

  const Rules& rules_;
  trial::TrialId target_met_by_;
  trial::TrialId best_seen_;               ///< trial with the best visible objective
  std::vector<pareto::Score> front_seen_;  ///< visible results that no other dominates
  std::int64_t trials_since_best_ = 0;
  bool has_stalled_ = false;
};

}  // namespace dlrun::study
