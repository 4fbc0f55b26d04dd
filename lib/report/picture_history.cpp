// SPDX-License-Identifier: Apache-2.0
// Objective of every trial by its number, and the best so far.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "plot/scatter.hpp"
#include "report/picture_trials.hpp"

namespace dlrun::report {

namespace {

using trial::TrialState;

constexpr std::size_t kMostSteps = 500;  // steps of the best so far

/// Trials at which the best value so far improved, among those that may be the best.
std::vector<bool> improvements(const ShownTrials& trials, bool maximize) {
  std::vector<bool> out;
  double best = maximize ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  for (const ShownTrial& one : trials.all) {
    const bool counts = one.state == TrialState::completed && one.is_feasible && one.value;
    const bool improves = counts && (maximize ? *one.value > best : *one.value < best);
    if (improves) best = *one.value;
    out.push_back(improves);
  }
  return out;
}

/// "32 trials: 4 completed, 28 pruned"
std::string counts_text(const ShownTrials& trials) {
  std::array<std::size_t, 7> counts{};
  for (const ShownTrial& one : trials.all) ++counts[std::size_t(one.state)];
  std::string text;
  for (const TrialState state : {TrialState::completed, TrialState::pruned, TrialState::failed, TrialState::cancelled,
                                 TrialState::paused, TrialState::running, TrialState::waiting}) {
    const std::size_t count = counts[std::size_t(state)];
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, trial::to_string(state));
  }
  return fmt::format("{} trial{}: {}", trials.all.size(), trials.all.size() == 1 ? "" : "s", text);
}

plot::Trace best_so_far(const ShownTrials& trials, const std::vector<bool>& improves, std::size_t group) {
  plot::Trace line{group, 2, true, {}};
  for (std::size_t i = 0; i < trials.all.size(); ++i) {
    if (improves[i]) line.points.push_back({double(trials.all[i].number), *trials.all[i].value});
  }
  std::vector<plot::Point> points;
  for (const std::size_t i : even_sample(std::vector<bool>(line.points.size()), kMostSteps))
    points.push_back(line.points[i]);
  line.points = std::move(points);
  if (!line.points.empty()) line.points.push_back({double(trials.all.back().number), line.points.back().y});
  return line;
}

struct Marks {
  std::vector<std::vector<plot::Point>> by_look;
  std::size_t drawn = 0, all = 0;
};

/// Marks of an even sample of the trials. Failed ones lie at the bad edge.
Marks marks_of(const ShownTrials& trials, const std::vector<bool>& improves, bool maximize) {
  const double bad = maximize ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  std::vector<const ShownTrial*> shown;
  std::vector<bool> must;
  for (std::size_t i = 0; i < trials.all.size(); ++i) {
    const ShownTrial& one = trials.all[i];
    if (!one.value && one.state != TrialState::failed) continue;
    shown.push_back(&one);
    must.push_back(improves[i] || trials.best == one.number);
  }
  Marks marks{std::vector<std::vector<plot::Point>>(look_groups().size()), 0, shown.size()};
  for (const std::size_t i : even_sample(must, kMostMarks)) {
    const Look look = look_of(*shown[i], trials);
    const double y = look == Look::failed ? bad : *shown[i]->value;
    marks.by_look[std::size_t(look)].push_back({double(shown[i]->number), y});
    ++marks.drawn;
  }
  return marks;
}

std::vector<double> values_of(const ShownTrials& trials) {
  std::vector<double> values;
  for (const ShownTrial& one : trials.all) {
    if (one.value && one.state != TrialState::failed) values.push_back(*one.value);
  }
  return values;
}

}  // namespace

PictureOrReason history_picture(const OpenedStudy& study, const PictureWishes& wishes) {
  const ShownGoal goal = shown_goal(study, wishes);
  const ShownTrials trials = shown_trials(study, goal);
  const std::vector<double> values = values_of(trials);
  if (values.empty()) return {std::nullopt, "no trial has a result"};
  const std::vector<bool> improves = improvements(trials, goal.maximize);
  const Marks marks = marks_of(trials, improves, goal.maximize);
  plot::ScatterPanel panel{
      {"trial", {double(trials.all.front().number), double(trials.all.back().number)}, false, {}, true},
      value_axis(goal, values, wishes.is_log),
      {},
      marks.by_look};
  plot::Scatter chart{file_name(study, "history"),
                      fmt::format("Trials of {} by number", short_name(study)),
                      fmt::format("{}; {}, {}{}{}", counts_text(trials), best_text(trials), better_of(goal),
                                  beyond_text(panel.y, values), drawn_text(marks.drawn, marks.all)),
                      look_groups(),
                      {}};
  chart.groups.push_back({"best so far", plot::kVermilion, plot::Shape::square});
  panel.traces.push_back(best_so_far(trials, improves, chart.groups.size() - 1));
  if (panel.traces[0].points.empty()) panel.traces.clear();
  chart.panels.push_back(std::move(panel));
  return {plot::scatter(chart)};
}

}  // namespace dlrun::report
