// SPDX-License-Identifier: Apache-2.0
#include "report/study_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "report/picture_trials.hpp"

namespace dlrun::report {

namespace {

constexpr std::size_t kBestCurves = 30, kOtherCurves = 30;

/// Trials with a result and two epochs or more, the best first.
std::vector<ShownTrial> ranked(const OpenedStudy& study, const ShownGoal& goal) {
  std::set<std::int64_t> long_ones;
  storage::Statement rows = study.query("SELECT trial FROM dl_trial WHERE epochs > 1");
  while (rows.step()) long_ones.insert(rows.integer(0));
  const ShownTrials trials = shown_trials(study, goal);
  std::vector<ShownTrial> all;
  std::copy_if(trials.all.begin(), trials.all.end(), std::back_inserter(all),
               [&](const ShownTrial& one) { return one.value && long_ones.count(one.number) > 0; });
  const auto cost = [&](const ShownTrial& one) {
    if (one.number == trials.best) return -std::numeric_limits<double>::infinity();
    return goal.maximize ? -*one.value : *one.value;
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
  return all;
}

std::vector<ShownTrial> sample_of(const std::vector<ShownTrial>& all) {
  if (all.size() <= kBestCurves + kOtherCurves) return all;
  std::vector<ShownTrial> sample(all.begin(), all.begin() + kBestCurves);
  const std::size_t rest = all.size() - kBestCurves;
  for (std::size_t i = 0; i < kOtherCurves; ++i) sample.push_back(all[kBestCurves + (i + 1) * rest / kOtherCurves - 1]);
  return sample;
}

std::vector<double> thinned(const std::vector<double>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<double> out;
  for (std::size_t i = 0; i < most; ++i) out.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return out;
}

StudyCurve curve_of(storage::Statement& rows, const ShownTrial& trial, const std::string& metric, std::size_t points) {
  StudyCurve curve{trial.number, trial.state, {}, {}};
  rows.bind(trial.number, metric);
  while (rows.step()) {
    curve.steps.push_back(double(rows.integer(0)));
    curve.values.push_back(rows.is_null(1) ? std::numeric_limits<double>::quiet_NaN() : rows.real(1));
  }
  curve.steps = thinned(curve.steps, points);
  curve.values = thinned(curve.values, points);
  return curve;
}

std::string choice_text(std::size_t shown, std::size_t all) {
  if (shown == all) return fmt::format("{} trial{} with two epochs or more", all, all == 1 ? "" : "s");
  return fmt::format("the best {} of {} trials, and {} of the others, evenly by rank", kBestCurves, all, kOtherCurves);
}

}  // namespace

StudyCurves study_curves(const OpenedStudy& study, const std::string& objective, std::size_t points) {
  const ShownGoal goal = shown_goal(study, {.parameters = {}, .objective = objective});
  const std::vector<ShownTrial> all = ranked(study, goal), sample = sample_of(all);
  storage::Statement rows = study.query(
      "SELECT step, iif(count(*) = count(value), avg(value), NULL) FROM dl_metric WHERE trial = ? AND "
      "metric = (SELECT metric FROM dl_metric_name WHERE name = ?) GROUP BY step ORDER BY step");
  StudyCurves out{goal.metric, {}, choice_text(sample.size(), all.size())};
  for (const ShownTrial& trial : sample) {
    StudyCurve curve = curve_of(rows, trial, goal.metric, points);
    if (curve.steps.size() > 1) out.curves.push_back(std::move(curve));
  }
  return out;
}

}  // namespace dlrun::report
