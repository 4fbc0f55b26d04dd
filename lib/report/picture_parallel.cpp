// SPDX-License-Identifier: Apache-2.0
// Trials as lines across their parameters and the objective.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "plot/parallel.hpp"
#include "report/picture_trials.hpp"

namespace dlrun::report {

namespace {

constexpr std::size_t kMostAxes = 12, kMostLines = 300;
constexpr std::size_t kEnough = 10;  // completed trials; else those that stopped early are lines too

/// Groups of lines, the lowest first, and the share of the trials up to which each goes, best first.
struct Tier {
  const char* word;
  const char* color;
  double share;
};
constexpr Tier kTiers[] = {{"worse half", "#d4d4d4", 1},
                           {"better half", "#a6c4dd", 0.5},
                           {"best quarter", "#4f94c4", 0.25},
                           {"best tenth", "#004f7c", 0.1}};
constexpr std::size_t kBestLine = std::size(kTiers);  ///< group of the best trial

std::vector<plot::Group> tier_groups() {
  std::vector<plot::Group> groups;
  for (const Tier& tier : kTiers) groups.push_back({tier.word, tier.color, plot::Shape::square});
  groups.push_back({"best", plot::kVermilion, plot::Shape::square});
  return groups;
}

/// Group of each trial by its rank.
std::vector<std::size_t> tiers_of(const std::vector<ShownTrial>& shown, const ShownTrials& trials, bool maximize) {
  std::vector<std::size_t> order(shown.size()), groups(shown.size(), 0);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return maximize ? *shown[a].value > *shown[b].value : *shown[a].value < *shown[b].value;
  });
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    for (std::size_t tier = 0; tier < std::size(kTiers); ++tier) {
      if (double(rank) < kTiers[tier].share * double(order.size())) groups[order[rank]] = tier;
    }
    if (trials.best == shown[order[rank]].number) groups[order[rank]] = kBestLine;
  }
  return groups;
}

std::vector<double> numbers_of(const std::vector<ShownTrial>& trials) {
  std::vector<double> values;
  for (const ShownTrial& trial : trials) values.push_back(*trial.value);
  return values;
}

}  // namespace

PictureOrReason parallel_picture(const OpenedStudy& study, const PictureWishes& wishes) {
  const ShownGoal goal = shown_goal(study, wishes);
  const ShownTrials trials = shown_trials(study, goal);
  std::vector<ShownParameter> parameters = shown_parameters(study, wishes, kMostAxes);
  if (parameters.empty()) return {std::nullopt, "none of its parameters varies"};
  const std::size_t most = std::min(kMostLines, kMostMarks / (parameters.size() + 1));
  const std::vector<ShownTrial> shown = with_result(trials, most, kEnough);
  if (shown.size() < 2) return {std::nullopt, "fewer than two trials have a result"};
  const std::vector<std::vector<double>> at = values_of(study, shown, parameters);
  const std::vector<std::size_t> groups = tiers_of(shown, trials, goal.maximize);
  const plot::Axis value = value_axis(goal, numbers_of(shown), wishes.is_log);
  plot::Parallel chart{file_name(study, "parallel"),
                       fmt::format("Trials of {} across their parameters", short_name(study)),
                       fmt::format("{}, {}{}", best_text(trials), better_of(goal), sample_text(shown, trials)),
                       tier_groups(),
                       {},
                       {},
                       "not active"};
  for (const ShownParameter& parameter : parameters) chart.axes.push_back(parameter.axis);
  chart.axes.push_back(value);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    plot::ParallelLine line{groups[i], at[i]};
    for (std::size_t p = 0; p < parameters.size(); ++p)
      line.values[p] += parameters[p].has_words ? beside(shown[i].number) : 0;
    line.values.push_back(*shown[i].value);
    chart.lines.push_back(std::move(line));
  }
  return {plot::parallel(chart)};
}

}  // namespace dlrun::report
