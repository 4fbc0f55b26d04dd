// SPDX-License-Identifier: Apache-2.0
// A trial whose metric leaves given bounds stops.
#pragma once
#include <map>

#include "pruners/stopping_pruner.hpp"

namespace dlrun::pruners {

/// At a rung a trial stops if the metric of its newest epoch is below `lower`, above `upper` or not a number. Bounds
/// are as measured, whichever direction is better.
class ThresholdPruner final : public StoppingPruner {
 public:
  /// @throws Error(usage) as even_rungs, and for no bound or lower > upper.
  ThresholdPruner(const Threshold& threshold, bool maximize);

  void on_curve(trial::TrialId trial, const std::vector<Point>& curve) override;
  void on_gone(trial::TrialId trial) override;

 private:
  Verdict judge(trial::TrialId trial, int rung, double value) override;

  std::optional<double> lower_, upper_;
  std::map<trial::TrialId, double> newest_;  ///< told by on_curve, not judged yet
};

}  // namespace dlrun::pruners
