// SPDX-License-Identifier: Apache-2.0
// Promotion-type asynchronous successive halving by several objectives (MO-ASHA; Schmucker et al. 2021,
// arXiv:2106.12639, Algorithm 1; eta, r, R as there).
#pragma once
#include <map>
#include <set>
#include <vector>

#include "pruners/pruner.hpp"

namespace dlrun::pruners {

/// AshaPruner by fronts: the best floor(n / eta) of a rung are the first of its fronts, front by front under
/// constrained domination, within a front spread out by an epsilon-net (pareto::order_of). So of one objective with
/// bounds the feasible trials go on first, by value. Differs from the paper: one bracket; a failed value counts in n
/// and is never promoted. A promotion after a new value costs the sorting of its rung.
class FrontAshaPruner final : public Pruner {
 public:
  /// @throws Error(usage) as geometric_rungs.
  explicit FrontAshaPruner(const Ladder& ladder);

  std::vector<std::int64_t> rungs() const override { return budgets_; }
  std::vector<double> shares() const override;
  void on_value(trial::TrialId trial, int rung, std::optional<double> value) override;
  void on_score(trial::TrialId trial, int rung, const std::optional<pareto::Score>& score) override;
  void on_gone(trial::TrialId trial) override { gone_.insert(trial); }
  std::optional<Promotion> next() const override;
  void claim(trial::TrialId trial, int rung) override;

 private:
  struct Rung {
    std::map<trial::TrialId, std::optional<pareto::Score>> scores;  ///< nullopt: failed
    std::set<trial::TrialId> promoted;
    mutable std::vector<trial::TrialId> best;  ///< the floor(n / eta) best, the best first
    mutable bool is_stale = false;
  };
  const std::vector<trial::TrialId>& best_of(const Rung& rung) const;
  bool may_go_on(const Rung& rung, trial::TrialId trial) const;

  std::size_t eta_;
  std::vector<std::int64_t> budgets_;
  std::vector<Rung> rungs_;  ///< all but the last, whose trials are complete
  std::set<trial::TrialId> gone_;
};

}  // namespace dlrun::pruners
