// SPDX-License-Identifier: Apache-2.0
// The objective over two parameters, between the trials.
#include <fmt/format.h>

#include "plot/contour.hpp"
#include "report/picture_trials.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

constexpr std::size_t kMostContourPoints = 1'000, kLeastContourPoints = 4, kEnoughPoints = 10;
constexpr std::size_t kMostDots = 200;

enum ContourMark { kDots, kRings, kBestDot };  // white rings make dots seen on dark bands

std::vector<plot::Group> mark_groups() {
  using plot::Shape;
  return {{"trial", plot::kText, Shape::disc},
          {"", "#ffffff", Shape::open_circle},
          {"best", plot::kVermilion, Shape::diamond}};
}

void add_mark(plot::Contour& chart, const ShownTrial& trial, plot::Point at, bool is_best) {
  if (!chart.x.words.empty()) at.x += beside(trial.number);
  if (!chart.y.words.empty()) at.y += beside(trial.number + 1);
  chart.marks[is_best ? kBestDot : kDots].push_back(at);
  if (!is_best) chart.marks[kRings].push_back(at);
}

}  // namespace

PictureOrReason contour_picture(const OpenedStudy& study, const PictureWishes& wishes) {
  if (!wishes.parameters.empty() && wishes.parameters.size() != 2)
    throw Error(ErrorKind::usage, fmt::format("a contour has two parameters, not {}", wishes.parameters.size()),
                "name two with --parameters, e.g. --parameters lr,width");
  const ShownGoal goal = shown_goal(study, wishes);
  const ShownTrials trials = shown_trials(study, goal);
  std::vector<ShownParameter> parameters = shown_parameters(study, wishes, 2);
  if (parameters.size() < 2) return {std::nullopt, "fewer than two of its parameters vary"};
  const std::vector<ShownTrial> shown = with_result(trials, kMostContourPoints, kEnoughPoints);
  if (shown.size() < kLeastContourPoints)
    return {std::nullopt, fmt::format("fewer than {} trials have a result", kLeastContourPoints)};
  const std::vector<std::vector<double>> at = values_of(study, shown, parameters);
  std::vector<double> values;
  for (const ShownTrial& trial : shown) values.push_back(*trial.value);
  plot::Contour chart{file_name(study, "contour"),
                      "",
                      fmt::format("{}, dark is better{}", best_text(trials), sample_text(shown, trials, "taken")),
                      parameters[0].axis,
                      parameters[1].axis,
                      value_axis(goal, values, wishes.is_log),
                      !goal.maximize,
                      {},
                      mark_groups(),
                      std::vector<std::vector<plot::Point>>(3)};
  chart.title =
      fmt::format("{} of {} by {} and {}", chart.value.title, short_name(study), chart.x.title, chart.y.title);
  for (plot::Axis* axis : {&chart.x, &chart.y}) axis->title += axis->is_log ? " (log)" : "";
  std::vector<bool> is_best;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    chart.points.push_back({at[i][0], at[i][1], *shown[i].value});
    is_best.push_back(trials.best == shown[i].number);
  }
  for (const std::size_t i : even_sample(is_best, kMostDots))
    add_mark(chart, shown[i], {at[i][0], at[i][1]}, is_best[i]);
  return {plot::contour(chart)};
}

}  // namespace dlrun::report
