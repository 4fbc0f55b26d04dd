// SPDX-License-Identifier: Apache-2.0
// A pruner decides which paused trials go on and which stop. Pure: visible values in, trials out.
#pragma once
#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pareto/score.hpp"
#include "pruners/kinds.hpp"
#include "trial/trial.hpp"

namespace dlrun::pruners {

/// A trial that may go on from `rung`, and why (for explain).
struct Promotion {
  trial::TrialId trial;
  int rung = 0;
  std::string reason;  ///< "rung 0: among the best 3 of 9"
};

/// A trial that stops at `rung`, and why.
struct Stop {
  trial::TrialId trial;
  int rung = 0;
  std::string reason;  ///< "rung 2: 0.71 is worse than 0.52, the median of 7 trials"
};

/// A trial to begin with another one's weights, as they were at `rung`.
struct Heir {
  trial::TrialId donor;
  int rung = 0;
  std::string reason;
};

/// The metric at the end of an epoch; lower is better; it may be NaN.
struct Point {
  std::int64_t epoch = 0;
  double value = 0;
};

/// Is there a score, and all of it finite?
inline bool is_usable(const std::optional<pareto::Score>& score) {
  return score && std::all_of(score->values.begin(), score->values.end(), [](double v) { return std::isfinite(v); });
}

/// Rank by one objective and the bounds of the study, as constrained domination orders them (pareto/score.hpp): what is
/// feasible is the better, then the smaller violation, then the value. Lower is better.
struct Rank {
  double violation = 0;
  double value = 0;
  auto operator<=>(const Rank&) const = default;

  /// Behind all others: the trial failed, or its value is not finite.
  static constexpr Rank failed() {
    return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  bool has_failed() const { return value == std::numeric_limits<double>::infinity(); }
  static Rank of(const std::optional<pareto::Score>& score) {
    return is_usable(score) ? Rank{std::max(score->violation, 0.0), score->values[0]} : failed();
  }
};

class Pruner {
 public:
  virtual ~Pruner() = default;
  /// Epochs at which a trial pauses, ascending; the last is its whole budget. Empty: it never pauses.
  virtual std::vector<std::int64_t> rungs() const = 0;
  /// The planned share of the trials that train up to each rung; empty: the rule plans none.
  virtual std::vector<double> shares() const { return {}; }
  /// The planned share of the trials that train up to each rung first, from their beginning; empty: all to the lowest.
  virtual std::vector<double> first_shares() const { return {}; }
  /// The rung up to which the next new trial trains first.
  virtual int first_rung() const { return 0; }
  /// A new trial was decided, with first_rung() as it was.
  virtual void on_start(trial::TrialId) {}
  /// The epochs of the piece whose value on_value tells next; those that reported none are missing.
  virtual void on_curve(trial::TrialId, const std::vector<Point>&) {}
  /// A trial's value at rung `rung` (0-based) became visible; lower is better; nullopt: failed or not finite. A trial
  /// that failed and was tried again tells a second value, which replaces the first.
  virtual void on_value(trial::TrialId trial, int rung, std::optional<double> value) = 0;
  /// As on_value(), by all objectives and bounds of the study. A pruner that judges by one objective is told the first.
  virtual void on_score(trial::TrialId trial, int rung, const std::optional<pareto::Score>& score) {
    on_value(trial, rung, score ? std::optional(score->values[0]) : std::nullopt);
  }
  /// Whether the pruner decides after each member of a trial (replicate, fold) if the next one runs. Then members run
  /// one after the other, and next_stop() may name a trial between two of them. Such a pruner has no rungs.
  virtual bool judges_members() const { return false; }
  /// A pruner that judges members is told the value of each before on_value() tells their mean; lower is better.
  virtual void on_member(trial::TrialId, int /*member*/, double /*value*/) {}
  /// A trial will never go on (cancelled, stopped); its values still count for the others, also one that becomes
  /// visible later.
  virtual void on_gone(trial::TrialId) {}
  /// A trial ended early by itself, after its value at the rung it was under way to: complete, and never going on.
  virtual void on_complete(trial::TrialId trial) { on_gone(trial); }
  /// The next paused trial to continue, highest rung first; nullopt: none is eligible. Changes nothing: the study may
  /// not have the budget for it.
  virtual std::optional<Promotion> next() const = 0;
  /// The next trial as by next(), if no new trial will ever come: what waits for some waits no longer.
  virtual std::optional<Promotion> next_at_end() const { return next(); }
  /// The next paused trial to stop; on_gone confirms it.
  virtual std::optional<Stop> next_stop() const { return std::nullopt; }
  /// May a new trial begin from scratch?
  virtual bool wants_new() const { return true; }
  /// Why none may, where wants_new() is false: "a population of 8".
  virtual std::string closing_reason() const { return {}; }
  /// The next trial to begin from a paused donor; it comes before any continuation. Its on_start() confirms it.
  virtual std::optional<Heir> next_heir() const { return std::nullopt; }
  /// The search is over: is this paused trial complete, for nothing was planned beyond its rung?
  virtual bool is_whole(trial::TrialId) const { return false; }
  /// A decision, fresh or replayed, promotes this trial from `rung`.
  /// @throws Error(store) where it is not paused there: a log that does not belong to these rules.
  virtual void claim(trial::TrialId trial, int rung) = 0;
};

/// @throws Error(usage) for settings that make no sense
std::unique_ptr<Pruner> make_pruner(const PrunerOptions& options);

}  // namespace dlrun::pruners
