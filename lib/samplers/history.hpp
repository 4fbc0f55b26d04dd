// SPDX-License-Identifier: Apache-2.0
// Data that a model is fitted to: the trials told so far, as coordinates, from the best to the worst.
#pragma once
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "pareto/score.hpp"
#include "samplers/axis.hpp"
#include "samplers/sampler.hpp"

namespace dlrun::samplers {

/// Trials count from 0 in the order they were started. A trial is ranked once a value of it is visible: trials that
/// have all they will get come first, by value; then those that were paused, the longer trained first, then by value
/// (as Optuna ranks pruned trials); then what is infeasible, by its violation; ties go to the earlier trial. Of several
/// objectives fronts take the place of values. Failed trials are not ranked.
class History {
 public:
  explicit History(const space::Space& space);

  void on_start(trial::TrialId trial, const space::Values& values);
  void on_result(const Observation& observation);
  /// A trial of an earlier study: it has coordinates here and is neither seen, ranked nor pending. Returns its number.
  std::uint32_t add_earlier(const space::Values& values);

  const std::vector<Axis>& axes() const { return axes_; }
  std::size_t size() const { return trials_.size(); }
  /// Number of trials with a result, failures too.
  std::size_t seen() const { return seen_; }
  bool is_seen(std::size_t trial) const { return trials_[trial].is_seen; }
  /// Trials from the best to the worst.
  const std::vector<std::uint32_t>& ranked() const;
  /// Some of the ranked trials by how good they are, the best first; those of one tier are equal, but for the place in
  /// their front. With one objective, equal values share a tier.
  std::vector<std::vector<std::uint32_t>> tiers_of(const std::vector<std::uint32_t>& trials) const;
  /// Are there several objectives? Known once a trial has a result.
  bool has_several() const { return has_several_; }
  const pareto::Score& score(std::size_t trial) const { return trials_[trial].score; }
  /// The largest budget at which at least `least` trials have a value, and all of them in the order of their values
  /// there (one objective; infeasible ones last; ties: the earlier trial), wherever they went from there, but for those
  /// that failed; empty where no budget has so many. Trials that get no further count as of the whole budget.
  std::vector<std::uint32_t> ranked_at_largest_budget(std::size_t least) const;
  /// Objectives that trials would come to at the largest budget, by number: the last value of each, and from each
  /// budget to the next the median change of the trials that have both. NaN: no value. Empty where budgets are not
  /// steps of one ladder, for some trials have no value at the smallest, or where there are several objectives.
  std::vector<double> projected() const;
  /// Coordinates of all trials along one axis.
  const std::vector<double>& column(std::size_t axis) const { return columns_[axis]; }
  Coordinates coordinates(std::size_t trial) const;
  double objective(std::size_t trial) const { return trials_[trial].objective(); }
  bool is_ranked(std::size_t trial) const { return trials_[trial].is_ranked; }
  /// Does trial `a` rank before `b`, by one objective? Those that are not ranked come last.
  bool is_before(std::uint32_t a, std::uint32_t b) const;
  /// Trials with a result, failures too; trials without: ascending.
  std::vector<std::uint32_t> seen_trials() const { return trials_that(true); }
  std::vector<std::uint32_t> pending_trials() const { return trials_that(false); }
  /// How far a ranked trial lies beyond each bound.
  const std::vector<double>& excess(std::size_t trial) const { return trials_[trial].excess; }
  /// Were values measured after different numbers of epochs, so that their size cannot be compared?
  bool is_mixed() const { return paused_ > 0; }
  /// Trials that are active on an axis, ascending by their coordinates; ties by number. Numeric axes only.
  const std::vector<std::uint32_t>& ascending(std::size_t axis) const { return ascending_[axis]; }

 private:
  struct Told {
    pareto::Score score{{0}, 0};
    std::vector<double> excess;  ///< by bound
    std::int64_t steps = 0;
    bool is_whole = false;
    bool is_seen = false;
    bool is_earlier = false;  ///< trial of another study
    bool is_ranked = false;
    double objective() const { return score.values[0]; }
  };
  void sort_in(std::size_t axis);
  std::vector<std::uint32_t> trials_that(bool are_seen) const;

  space::Space space_;
  std::vector<Axis> axes_;
  std::map<std::int64_t, std::uint32_t> numbers_;  ///< by the trial's id
  std::vector<Told> trials_;
  std::vector<std::vector<double>> columns_;
  std::vector<std::vector<std::uint32_t>> ascending_;
  mutable std::vector<std::uint32_t> ranked_;
  mutable bool is_stale_ = false;  ///< several objectives: fronts are worked out when somebody asks
  bool has_several_ = false;
  /// (violation, value, trial) by epochs.
  std::map<std::int64_t, std::set<std::tuple<double, double, std::uint32_t>>> budgets_;
  std::size_t seen_ = 0;
  std::size_t paused_ = 0;  ///< ranked ones that may get further
};

}  // namespace dlrun::samplers
