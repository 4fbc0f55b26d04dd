// SPDX-License-Identifier: Apache-2.0
// Learning curves of trials by the objective's metric.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plot/scatter.hpp"
#include "report/picture_trials.hpp"
#include "report/study_curves.hpp"

namespace dlrun::report {

namespace {

using trial::TrialState;

constexpr std::size_t kMostPoints = 120;  // on a curve
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Groups of curves, the lowest first.
enum CurveKind { kPruned, kOthers, kBestCurve };

std::vector<plot::Group> curve_groups() {
  using plot::Shape;
  return {{"pruned or unfinished", plot::kPale, Shape::square},
          {"completed", plot::kQuiet, Shape::square},
          {"best", plot::kVermilion, Shape::square}};
}

struct Curves {
  std::vector<plot::Trace> traces = std::vector<plot::Trace>(3);
  std::vector<double> values;
  plot::Range steps{std::numeric_limits<double>::infinity(), 0};

  void add_curve(CurveKind kind, const std::vector<plot::Point>& points) {
    std::vector<plot::Point>& all = traces[kind].points;
    if (!all.empty()) all.push_back({kNone, kNone});
    all.insert(all.end(), points.begin(), points.end());
    for (const plot::Point& point : points) {
      if (!std::isfinite(point.y)) continue;
      values.push_back(point.y);
      steps = {std::min(steps.low, point.x), std::max(steps.high, point.x)};
    }
  }
};

CurveKind kind_of(const StudyCurve& curve, const ShownTrials& trials) {
  if (trials.best == curve.trial) return kBestCurve;
  return curve.state == TrialState::completed ? kOthers : kPruned;
}

Curves traces_of(const StudyCurves& study, const ShownTrials& trials) {
  Curves curves;
  for (const CurveKind kind : {kPruned, kOthers, kBestCurve})
    curves.traces[kind] = {std::size_t(kind), kind == kBestCurve ? 2.5 : 1, false, {}};
  for (const StudyCurve& one : study.curves) {
    std::vector<plot::Point> points;
    for (std::size_t i = 0; i < one.steps.size(); ++i) points.push_back({one.steps[i], one.values[i]});
    curves.add_curve(kind_of(one, trials), points);
  }
  std::erase_if(curves.traces, [](const plot::Trace& trace) { return trace.points.empty(); });
  return curves;
}

}  // namespace

PictureOrReason curves_picture(const OpenedStudy& study, const PictureWishes& wishes) {
  const ShownGoal goal = shown_goal(study, wishes);
  const ShownTrials trials = shown_trials(study, goal);
  const auto has_value = [](const ShownTrial& trial) { return trial.value.has_value(); };
  if (std::none_of(trials.all.begin(), trials.all.end(), has_value)) return {std::nullopt, "no trial has a result"};
  const StudyCurves shown = study_curves(study, wishes.objective, kMostPoints);
  if (shown.curves.empty())
    return {std::nullopt, "its trials measured " + goal.metric + " once each, which is no curve"};
  const Curves curves = traces_of(shown, trials);
  plot::ScatterPanel panel{
      {"epoch", curves.steps, false, {}, true}, value_axis(goal, curves.values, wishes.is_log), curves.traces, {}};
  return {plot::scatter({file_name(study, "curves"),
                         fmt::format("Learning curves of {}", short_name(study)),
                         fmt::format("{}; {}, {}", shown.choice, best_text(trials), better_of(goal)),
                         curve_groups(),
                         {panel}})};
}

}  // namespace dlrun::report
