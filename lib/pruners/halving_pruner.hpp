// SPDX-License-Identifier: Apache-2.0
// Synchronous successive halving (Jamieson & Talwalkar, AISTATS 2016, arXiv:1502.07943) and Hyperband, which runs
// several brackets of it (Li et al., JMLR 18, 2018, arXiv:1603.06560, Algorithm 1; n, s, eta, r, R as there).
#pragma once
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "pruners/pruner.hpp"

namespace dlrun::pruners {

/// One ladder: `trials` start together and train up to rung `first_rung`.
struct BracketPlan {
  int first_rung = 0;
  std::int64_t trials = 0;
  bool operator==(const BracketPlan&) const = default;
};

/// Brackets of hyperband, and of bohb, which is hyperband with TPE (Falkner et al., ICML 2018): s = s_max … 0, each of
/// n = ceil((s_max + 1) / (s + 1) * eta^s) trials that begin at R / eta^s, with s_max = floor(log_eta(R / r)), all in
/// integers (R = 81, eta = 3: 81, 34, 15, 8, 5 trials; R = 243: six brackets). @throws Error(usage) as geometric_rungs.
std::vector<BracketPlan> hyperband_brackets(const Ladder& ladder, const char* op);

/// The only bracket of successive halving: `bracket` trials from the first rung; 0: eta for each rung above it, so that
/// one trial is left at the last. @throws Error(usage) as geometric_rungs, and for a bracket < eta.
std::vector<BracketPlan> halving_bracket(const SuccessiveHalving& halving);

/// Brackets follow one another, from the first again after the last. A rung closes when all trials of its bracket have
/// a visible value there; then the best floor(n / eta^i) go on, n being the bracket's trials and i the rungs it has
/// passed. Meanwhile lanes go on with the next bracket. Of several trials that may go on, the highest rung comes first,
/// then the best value, then the lower trial number. A bracket that no new trial will fill closes as it is.
///
/// An infeasible trial ranks behind all feasible ones. A failed or not finite value ranks last and never goes on; a
/// trial that left (cancelled, ended early) keeps its rank. Differs from the paper: brackets overlap in time. O(log n)
/// a value but for the one that closes a rung.
class HalvingPruner final : public Pruner {
 public:
  /// @throws Error(usage) as the functions above.
  explicit HalvingPruner(const SuccessiveHalving& halving);
  /// @param op  hyperband or bohb, for messages
  HalvingPruner(const Ladder& ladder, const char* op);

  std::vector<std::int64_t> rungs() const override { return budgets_; }
  std::vector<double> shares() const override;
  std::vector<double> first_shares() const override;
  int first_rung() const override { return plan_[next_bracket_].first_rung; }
  void on_start(trial::TrialId trial) override;
  void on_value(trial::TrialId trial, int rung, std::optional<double> value) override;
  void on_score(trial::TrialId trial, int rung, const std::optional<pareto::Score>& score) override;
  void on_gone(trial::TrialId trial) override;
  std::optional<Promotion> next() const override;
  std::optional<Promotion> next_at_end() const override;
  void claim(trial::TrialId trial, int rung) override;

 private:
  struct Rung {
    std::set<trial::TrialId> members;  ///< on their way or arrived
    std::map<trial::TrialId, Rank> values;
    std::set<trial::TrialId> going;  ///< once closed: the best, neither claimed nor gone
    bool is_closed = false;
    std::size_t survivors = 0;  ///< trials that go on, at most
  };
  struct Bracket {
    int first_rung = 0;
    std::size_t size = 0;  ///< trials it waits for
    std::vector<Rung> rungs;
  };
  using Order = std::tuple<int, Rank, trial::TrialId>;  ///< (-rung, rank, trial)

  void settle(Bracket& bracket) const;
  void close(const Bracket& bracket, std::size_t index, Rung& rung) const;
  void note_ready(const Bracket& bracket);
  static std::optional<Order> first_ready(const Bracket& bracket);
  static std::string reason(const Bracket& bracket, int rung);
  /// The newest bracket as if it waited for no more trials; nullopt: it is full, or nobody is in it.
  std::optional<Bracket> cut() const;

  std::size_t eta_;
  std::vector<std::int64_t> budgets_;
  std::vector<BracketPlan> plan_;
  std::size_t next_bracket_ = 0;  ///< bracket of the plan, for the next new trial
  std::vector<Bracket> brackets_;
  std::map<trial::TrialId, std::size_t> bracket_of_;
  std::set<trial::TrialId> gone_;
  std::set<Order> ready_;
};

}  // namespace dlrun::pruners
