// SPDX-License-Identifier: Apache-2.0
// Median and percentile rule: a trial is held against what completed trials had at the same epoch.
#pragma once
#include <map>
#include <vector>

#include "pruners/ranking.hpp"
#include "pruners/stopping_pruner.hpp"

namespace dlrun::pruners {

/// At a rung a trial stops if its best value so far is worse than the given percentile of the values that completed
/// trials had at that epoch (percentile 25: a quarter of them is better; the median: 50). Percentiles are interpolated
/// linearly. Nothing stops before `startup_trials` are complete and `min_trials` of them have a value at the rung.
///
/// The rule of Optuna's MedianPruner and PercentilePruner (of the several that go by this name) with the same defaults;
/// its n_warmup_steps w counts from 0 and is min_budget = w + 1 here.
///
/// The median of averages is the rule of Vizier (Golovin et al., KDD 2017, section 3.2.1) and of Ray's
/// MedianStoppingRule: completed trials count with the average of their values up to the epoch, where the others count
/// with the value at it. Values that are not finite are left out of averages.
/// O(log n) a value; a trial under way keeps one number for each rung.
class PercentilePruner final : public StoppingPruner {
 public:
  /// @throws Error(usage) as even_rungs, and for a percentile outside (0, 100).
  PercentilePruner(const Median& median, bool maximize);
  PercentilePruner(const MedianOfAverages& median, bool maximize);
  PercentilePruner(const Percentile& percentile, bool maximize);

  void on_curve(trial::TrialId trial, const std::vector<Point>& curve) override;
  void on_gone(trial::TrialId trial) override;
  void on_complete(trial::TrialId trial) override;

 private:
  struct Open {
    double best = Ranking::kFailed;    ///< best value so far
    double newest = Ranking::kFailed;  ///< newest value of the epochs told last
    bool has_newest = false;           ///< told and not used
    double sum = 0;                    ///< sum of all values so far
    std::int64_t count = 0;            ///< number of values so far
    std::vector<double> values;        ///< at each rung: the value, or the average up to there
  };

  Verdict judge(trial::TrialId trial, int rung, double value) override;
  void note_whole(trial::TrialId trial, double value) override;
  static void see(Open& open, double value);
  void add_rung_value(Open& open, double value) const;

  Others needed_;
  double percentile_ = 50;
  std::string name_;  ///< the limit's name, for reasons
  bool is_of_averages_ = false;
  std::map<trial::TrialId, Open> open_;
  std::vector<Ranking> complete_;  ///< by rung
  std::int64_t completed_ = 0;
};

}  // namespace dlrun::pruners
