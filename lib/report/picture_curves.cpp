// SPDX-License-Identifier: Apache-2.0
// Learning curves of trials by the objective's metric.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plot/scatter.hpp"
#include "report/picture_trials.hpp"

namespace dlrun::report {

namespace {

using trial::TrialState;

constexpr std::size_t kMostCurves = 60, kMostPoints = 120;  // the latter of a curve
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Groups of curves, the lowest first.
enum CurveKind { kPruned, kOthers, kBestCurve };

std::vector<plot::Group> curve_groups() {
  using plot::Shape;
  return {{"pruned or unfinished", plot::kPale, Shape::square},
          {"completed", plot::kQuiet, Shape::square},
          {"best", plot::kVermilion, Shape::square}};
}

/// Every n-th of them, and the last.
std::vector<plot::Point> thinned(const std::vector<plot::Point>& points) {
  const std::size_t stride = points.size() / kMostPoints + 1;
  std::vector<plot::Point> out;
  for (std::size_t i = 0; i < points.size(); i += stride) out.push_back(points[i]);
  if (!points.empty() && (points.size() - 1) % stride != 0) out.push_back(points.back());
  return out;
}

/// The metric of a trial by step, the mean of its members; NaN where it is not finite.
std::vector<plot::Point> curve_of(storage::Statement& rows, const ShownTrial& trial, const std::string& metric) {
  std::vector<plot::Point> points;
  rows.bind(trial.number, metric);
  while (rows.step()) points.push_back({double(rows.integer(0)), rows.is_null(1) ? kNone : rows.real(1)});
  return thinned(points);
}

struct Curves {
  std::vector<plot::Trace> traces = std::vector<plot::Trace>(3);
  std::size_t drawn = 0, most_steps = 0;
  std::vector<double> values;
  plot::Range steps{std::numeric_limits<double>::infinity(), 0};

  void add(CurveKind kind, const std::vector<plot::Point>& points) {
    std::vector<plot::Point>& all = traces[kind].points;
    if (!all.empty()) all.push_back({kNone, kNone});
    all.insert(all.end(), points.begin(), points.end());
    most_steps = std::max(most_steps, points.size());
    ++drawn;
    for (const plot::Point& point : points) {
      if (!std::isfinite(point.y)) continue;
      values.push_back(point.y);
      steps = {std::min(steps.low, point.x), std::max(steps.high, point.x)};
    }
  }
};

CurveKind kind_of(const ShownTrial& trial, const ShownTrials& trials) {
  if (trials.best == trial.number) return kBestCurve;
  return trial.state == TrialState::completed ? kOthers : kPruned;
}

Curves curves_of(const OpenedStudy& study, const ShownGoal& goal, const ShownTrials& trials,
                 const std::vector<ShownTrial>& shown) {
  storage::Statement rows = study.query(
      "SELECT step, iif(count(*) = count(value), avg(value), NULL) FROM dl_metric WHERE trial = ? AND "
      "metric = (SELECT metric FROM dl_metric_name WHERE name = ?) GROUP BY step ORDER BY step");
  Curves curves;
  for (const CurveKind kind : {kPruned, kOthers, kBestCurve})
    curves.traces[kind] = {std::size_t(kind), kind == kBestCurve ? 2.5 : 1, false, {}};
  for (const ShownTrial& trial : shown) {
    const std::vector<plot::Point> points = curve_of(rows, trial, goal.metric);
    if (!points.empty()) curves.add(kind_of(trial, trials), points);
  }
  std::erase_if(curves.traces, [](const plot::Trace& trace) { return trace.points.empty(); });
  return curves;
}

}  // namespace

PictureOrReason curves_picture(const OpenedStudy& study, const PictureWishes& wishes) {
  const ShownGoal goal = shown_goal(study, wishes);
  const ShownTrials trials = shown_trials(study, goal);
  const auto has_value = [](const ShownTrial& trial) { return trial.value.has_value(); };
  const auto all = std::size_t(std::count_if(trials.all.begin(), trials.all.end(), has_value));
  const std::vector<ShownTrial> shown = sampled(trials, kMostCurves, has_value);
  if (shown.empty()) return {std::nullopt, "no trial has a result"};
  const Curves curves = curves_of(study, goal, trials, shown);
  if (curves.most_steps < 2)
    return {std::nullopt, "its trials measured " + goal.metric + " once each, which is no curve"};
  const std::string choice = all > shown.size() ? fmt::format("the best and an even sample of {} trials", all)
                                                : fmt::format("{} trials", curves.drawn);
  plot::ScatterPanel panel{
      {"epoch", curves.steps, false, {}, true}, value_axis(goal, curves.values, wishes.is_log), curves.traces, {}};
  return {plot::scatter({file_name(study, "curves"),
                         fmt::format("Learning curves of {}", short_name(study)),
                         fmt::format("{}; {}, {}", choice, best_text(trials), better_of(goal)),
                         curve_groups(),
                         {panel}})};
}

}  // namespace dlrun::report
