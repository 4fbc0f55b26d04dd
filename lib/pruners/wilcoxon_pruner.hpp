// SPDX-License-Identifier: Apache-2.0
// Stops a trial between two of its members (replicates, folds) once it is significantly worse than the best.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pruners/pruner.hpp"
#include "pruners/signed_rank.hpp"

namespace dlrun::pruners {

/// Members run one after the other. After each of them, from number `min_members` on, the trial's values are held
/// against those of the best complete trial, paired by member (the same replicate, the same fold), by Wilcoxon's
/// signed-rank test; it stops where it is worse in the mean and significantly so.
///
/// Differs from Optuna's pruner of the same name: the test is corrected for looking after every member, so a trial that
/// is as good as the one it is held against stops with a probability of at most alpha over all its looks, not at each.
/// The trial it is held against is the best when it is looked at first, and stays so. The best of many trials owes some
/// of its rank to luck, which no such test can know.
///
/// A trial with a failed member fails and is no reference. Ties in the mean: the lower trial number.
class WilcoxonPruner final : public Pruner {
 public:
  /// @throws Error(usage) for alpha outside (0, 0.5], min_members < 2.
  WilcoxonPruner(const Wilcoxon& own, const StudyFacts& study);

  std::vector<std::int64_t> rungs() const override { return {}; }
  bool judges_members() const override { return true; }
  void on_member(trial::TrialId trial, int member, double value) override;
  void on_value(trial::TrialId trial, int rung, std::optional<double> value) override;
  void on_gone(trial::TrialId trial) override;
  std::optional<Promotion> next() const override { return std::nullopt; }
  std::optional<Stop> next_stop() const override;
  void claim(trial::TrialId trial, int rung) override;

 private:
  struct Judged {
    std::map<int, double> values;  ///< by member
    trial::TrialId reference;      ///< the trial it is held against; none yet
    std::vector<double> held;      ///< the reference's values, by member
  };
  void judge(trial::TrialId trial, Judged& judged);

  int members_;
  int min_members_;
  bool maximize_;
  SequentialSignedRank test_;
  std::set<trial::TrialId> gone_;
  std::map<trial::TrialId, Judged> open_;
  std::map<trial::TrialId, std::string> stopping_;
  trial::TrialId best_;
  double best_mean_ = 0;
  std::vector<double> best_values_;
};

}  // namespace dlrun::pruners
