// SPDX-License-Identifier: Apache-2.0
// The stopping type of asynchronous successive halving by several objectives.
#pragma once
#include <map>
#include <vector>

#include "pruners/stopping_pruner.hpp"

namespace dlrun::pruners {

/// AshaStoppingPruner by fronts: a trial is placed among the n results of its rung by fronts, as FrontAshaPruner orders
/// them.
class FrontStoppingPruner final : public StoppingPruner {
 public:
  /// @throws Error(usage) as geometric_rungs.
  FrontStoppingPruner(const Ladder& ladder, bool maximize);
  std::vector<double> shares() const override;
  void on_score(trial::TrialId trial, int rung, const std::optional<pareto::Score>& score) override;

 private:
  /// nullopt: failed.
  using Rung = std::map<trial::TrialId, std::optional<pareto::Score>>;

  Verdict judge(trial::TrialId trial, int rung, double value) override;
  void note_failed(trial::TrialId trial, int rung) override;

  int eta_;
  pareto::Score told_;  ///< score of the value that is judged
  std::vector<Rung> rungs_;
};

}  // namespace dlrun::pruners
