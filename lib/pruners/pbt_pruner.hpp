// SPDX-License-Identifier: Apache-2.0
// Population based training: which trials of a population hand on their weights, and which give way (Jaderberg et al.
// 2017, arXiv:1711.09846, "exploit" by truncation; what the new trial tries is samplers/explorer.hpp, for pbt and for
// pb2).
#pragma once
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pruners/pruner.hpp"

namespace dlrun::pruners {

/// A population of trials trains side by side. At every rung, once all of them are there, the worst quantile of them
/// stops, and for each an heir takes its place: a new trial that begins with the weights of one of the best quantile,
/// drawn at random, and with values near that one's. The others go on.
///
/// Differs from the paper and from Ray: a rung closes when the whole population is there, so that all are compared
/// after the same epochs; and a trial keeps its values for life, so that an exploit is a new trial with a donor. The
/// quantile is rounded up, and half of the population at most. An infeasible trial ranks behind all feasible ones; one
/// that failed ranks last and always gives way; where all failed there is no donor and the search ends. Ties: the lower
/// trial number is the better.
class PbtPruner final : public Pruner {
 public:
  /// @throws Error(usage) as even_rungs, for population < 2, quantile outside (0, 0.5].
  /// @param op  pbt or pb2, for messages
  PbtPruner(const Population& population, const EvenLadder& ladder, std::uint64_t seed, const char* op);

  std::vector<std::int64_t> rungs() const override { return budgets_; }
  bool wants_new() const override { return started_ < population_; }
  std::string closing_reason() const override;
  void on_start(trial::TrialId trial) override;
  void on_value(trial::TrialId trial, int rung, std::optional<double> value) override;
  void on_score(trial::TrialId trial, int rung, const std::optional<pareto::Score>& score) override;
  void on_gone(trial::TrialId trial) override;
  std::optional<Promotion> next() const override;
  std::optional<Stop> next_stop() const override;
  std::optional<Heir> next_heir() const override;
  void claim(trial::TrialId trial, int rung) override;

 private:
  struct Entry {
    Rank value;
    trial::TrialId trial;
    auto operator<=>(const Entry&) const = default;
  };
  void close();
  trial::TrialId draw_donor(const std::vector<Entry>& ranked, std::size_t best, trial::TrialId loser) const;

  std::int64_t population_;
  double quantile_;
  std::uint64_t seed_;
  std::vector<std::int64_t> budgets_;
  std::int64_t started_ = 0;
  int rung_ = 0;                       ///< rung that fills
  std::set<trial::TrialId> alive_;     ///< the population as it stands
  std::map<trial::TrialId, Rank> at_;  ///< ranks of the trials at that rung
  std::map<trial::TrialId, std::string> going_, stopping_;
  std::deque<Heir> heirs_;
};

}  // namespace dlrun::pruners
