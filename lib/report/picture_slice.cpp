// SPDX-License-Identifier: Apache-2.0
// Objective against the value of each parameter, in small panels.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "plot/scatter.hpp"
#include "report/picture_trials.hpp"

namespace dlrun::report {

namespace {

using trial::TrialState;

constexpr std::size_t kMostPanels = 12;
constexpr int kSliceWidth = 180, kSliceHeight = 150;  // pixels

bool is_shown(const ShownTrial& trial) { return trial.value || trial.state == TrialState::failed; }

double height_of(const ShownTrial& trial, const ShownTrials& trials, bool maximize) {
  const double infinite = std::numeric_limits<double>::infinity();
  if (look_of(trial, trials) == Look::failed) return maximize ? -infinite : infinite;
  return *trial.value;
}

/// Trials and their values of the parameters.
struct Shown {
  std::vector<ShownTrial> trials;
  std::vector<std::vector<double>> at;  ///< [trial][parameter]
};

plot::ScatterPanel panel_of(const ShownParameter& parameter, std::size_t p, const Shown& shown,
                            const ShownTrials& trials, bool maximize) {
  plot::ScatterPanel panel{parameter.axis, {}, {}, std::vector<std::vector<plot::Point>>(look_groups().size())};
  for (std::size_t i = 0; i < shown.trials.size(); ++i) {
    const ShownTrial& trial = shown.trials[i];
    const double x = shown.at[i][p] + (parameter.has_words ? beside(trial.number) : 0);
    panel.marks[std::size_t(look_of(trial, trials))].push_back({x, height_of(trial, trials, maximize)});
  }
  return panel;
}

}  // namespace

PictureOrReason slice_picture(const OpenedStudy& study, const PictureWishes& wishes) {
  const ShownGoal goal = shown_goal(study, wishes);
  const ShownTrials trials = shown_trials(study, goal);
  std::vector<ShownParameter> parameters = shown_parameters(study, wishes, kMostPanels);
  if (parameters.empty()) return {std::nullopt, "none of its parameters varies"};
  Shown shown{sampled(trials, kMostMarks / parameters.size(), is_shown), {}};
  std::vector<double> values;
  for (const ShownTrial& trial : shown.trials) {
    if (trial.value && trial.state != TrialState::failed) values.push_back(*trial.value);
  }
  if (values.empty()) return {std::nullopt, "no trial has a result"};
  shown.at = values_of(study, shown.trials, parameters);
  const plot::Axis y = value_axis(goal, values, wishes.is_log);
  plot::Scatter chart{file_name(study, "slice"),
                      fmt::format("{} of {} by each parameter", y.title, short_name(study)),
                      fmt::format("{}, {}{}", best_text(trials), better_of(goal), beyond_text(y, values)),
                      look_groups(),
                      {},
                      kSliceWidth,
                      kSliceHeight};
  const std::size_t varying = count_parameters(study);
  if (wishes.parameters.empty() && parameters.size() < varying)
    chart.remark += fmt::format("; {} of {} parameters", parameters.size(), varying);
  chart.remark +=
      drawn_text(shown.trials.size(), std::size_t(std::count_if(trials.all.begin(), trials.all.end(), is_shown)));
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    chart.panels.push_back(panel_of(parameters[p], p, shown, trials, goal.maximize));
    chart.panels.back().y = y;
  }
  return {plot::scatter(chart)};
}

}  // namespace dlrun::report
