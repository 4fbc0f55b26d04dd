// SPDX-License-Identifier: Apache-2.0
// The stopping type of asynchronous successive halving (Li et al., MLSys 2020, arXiv:1810.05934; eta, r, R as there).
#pragma once
#include <set>
#include <vector>

#include "pruners/ranking.hpp"
#include "pruners/stopping_pruner.hpp"

namespace dlrun::pruners {

/// A trial that reaches rung r * eta^k is judged once, against the n values seen there so far, its own included: it
/// goes on if it is among the best floor(n / eta) of them, else it stops for good. The first eta - 1 of a rung have
/// nobody to be held against and go on.
///
/// Differs from Algorithm 2, which promotes a paused trial later (`type: promotion`): nothing is resumed, poor early
/// trials train on. A failed value counts in n and ranks last. O(log n) a value.
class AshaStoppingPruner final : public StoppingPruner {
 public:
  /// @throws Error(usage) as geometric_rungs.
  AshaStoppingPruner(const Ladder& ladder, bool maximize);
  std::vector<double> shares() const override;

 private:
  struct Rung {
    Ranking values;
    std::set<trial::TrialId> failed;
  };

  Verdict judge(trial::TrialId trial, int rung, double value) override;
  void note_failed(trial::TrialId trial, int rung) override;

  int eta_;
  std::vector<Rung> rungs_;
};

}  // namespace dlrun::pruners
