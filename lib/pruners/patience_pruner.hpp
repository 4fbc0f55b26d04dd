// SPDX-License-Identifier: Apache-2.0
// A trial that has stopped getting better stops.
#pragma once
#include <map>

#include "pruners/stopping_pruner.hpp"

namespace dlrun::pruners {

/// At a rung a trial stops if none of its last `patience + 1` epochs or more was better by more than `min_delta` than
/// the best before them: the words of a trial's own `stop:`, with which a trial ends as completed and not as pruned.
///
/// Differs from Optuna's PatientPruner, for which min_delta forgives what is worse: there a trial on a level goes on
/// for ever.
class PatiencePruner final : public StoppingPruner {
 public:
  /// @throws Error(usage) as even_rungs, and for a negative patience or min_delta.
  PatiencePruner(const Patience& patience, bool maximize);

  void on_curve(trial::TrialId trial, const std::vector<Point>& curve) override;
  void on_gone(trial::TrialId trial) override;

 private:
  struct Best {
    std::optional<double> value;
    std::int64_t epoch = 0;
  };

  Verdict judge(trial::TrialId trial, int rung, double value) override;
  void note_whole(trial::TrialId trial, double value) override;
  void improve(Best& best, const Point& point) const;

  std::int64_t patience_;
  double min_delta_;
  std::map<trial::TrialId, Best> open_;
};

}  // namespace dlrun::pruners
