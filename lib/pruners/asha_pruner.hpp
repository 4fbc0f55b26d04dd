// SPDX-License-Identifier: Apache-2.0
// Promotion-type asynchronous successive halving (Li et al., MLSys 2020, arXiv:1810.05934, Algorithm 2; eta, r, R as
// there).
#pragma once
#include <set>
#include <vector>

#include "pruners/pruner.hpp"

namespace dlrun::pruners {

/// A trial pauses at every rung. It goes on while it is among the best floor(n / eta) of the n values seen at its rung
/// so far; of several that may, the highest rung comes first, then the best value, then the lower trial number.
///
/// Differs from the paper: one bracket (s = 0); a failed or not finite value counts in n, ranks last and is never
/// promoted. Each value costs O(log n), a promotion O(rungs): the best floor(n / eta) are kept apart from the rest.
class AshaPruner final : public Pruner {
 public:
  /// @throws Error(usage) as geometric_rungs.
  explicit AshaPruner(const Ladder& ladder, const char* op = Asha::kName);

  std::vector<std::int64_t> rungs() const override { return budgets_; }
  std::vector<double> shares() const override;
  void on_value(trial::TrialId trial, int rung, std::optional<double> value) override;
  void on_gone(trial::TrialId trial) override;
  std::optional<Promotion> next() const override { return next_below(static_cast<int>(rungs_.size())); }
  /// The next of those that wait at a rung below `rung`.
  std::optional<Promotion> next_below(int rung) const;
  void claim(trial::TrialId trial, int rung) override;

 private:
  struct Entry {
    double value;  ///< infinite: failed
    trial::TrialId trial;
    auto operator<=>(const Entry&) const = default;
  };
  /// The values of one rung. `best` holds the floor(n / eta) best of them, `rest` the others, `ready` those of `best`
  /// that may go on.
  struct Rung {
    std::set<Entry> best, rest, ready;
    std::set<trial::TrialId> promoted;
    std::set<trial::TrialId> failed;
  };

  void insert(Rung& rung, const Entry& entry);
  void erase(Rung& rung, const Entry& entry);
  void balance(Rung& rung);
  bool may_go_on(const Rung& rung, const Entry& entry) const;

  std::size_t eta_;
  std::vector<std::int64_t> budgets_;
  std::vector<Rung> rungs_;  ///< all but the last, whose trials are complete
  std::set<trial::TrialId> gone_;
};

}  // namespace dlrun::pruners
