// SPDX-License-Identifier: Apache-2.0
// Base of the pruners that judge a trial once at each rung: it goes on, or it stops for good.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pruners/pruner.hpp"

namespace dlrun::pruners {

/// A trial is judged when its value at a rung becomes visible, against what became visible before it in logical order:
/// so a verdict depends on no arrival, and stands. Of those that go on the highest rung comes first, then the lower
/// trial number. At the last rung nothing is judged.
class StoppingPruner : public Pruner {
 public:
  explicit StoppingPruner(std::vector<std::int64_t> rungs, bool maximize)
      : maximize_(maximize), budgets_(std::move(rungs)) {}

  std::vector<std::int64_t> rungs() const override { return budgets_; }
  void on_value(trial::TrialId trial, int rung, std::optional<double> value) final;
  void on_gone(trial::TrialId trial) override;
  std::optional<Promotion> next() const override;
  std::optional<Stop> next_stop() const override;
  void claim(trial::TrialId trial, int rung) override;

 protected:
  struct Verdict {
    bool goes_on = true;
    std::string reason;
  };
  /// A trial's usable value at a rung below the last.
  virtual Verdict judge(trial::TrialId trial, int rung, double value) = 0;
  /// The trial reached the last rung.
  virtual void note_whole(trial::TrialId, double) {}
  /// The trial failed on the way to this rung (below the last).
  virtual void note_failed(trial::TrialId, int) {}

  std::int64_t epochs_at(int rung) const { return budgets_[static_cast<std::size_t>(rung)]; }
  /// Value as measured, for reasons.
  double shown(double value) const { return maximize_ ? -value : value; }

 private:
  struct Judged {
    int rung;
    std::string reason;
  };
  /// Highest rung first, then the lower number.
  using Order = std::pair<int, trial::TrialId>;  ///< (-rung, trial)

  bool maximize_;
  std::vector<std::int64_t> budgets_;
  std::set<trial::TrialId> gone_;
  std::map<trial::TrialId, Judged> going_;  ///< judged, not claimed
  std::set<Order> order_;                   ///< entries of `going_` whose trials are not gone
  std::map<trial::TrialId, Judged> stopping_;
};

}  // namespace dlrun::pruners
