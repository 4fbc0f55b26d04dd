// SPDX-License-Identifier: Apache-2.0
// Time of the best trial's ranks by its kind, with their bytes and staleness.
#include <fmt/format.h>

#include <algorithm>

#include "plot/gantt.hpp"
#include "report/picture_trials.hpp"
#include "report/rank_costs.hpp"
#include "util/units.hpp"

namespace dlrun::report {

namespace {

constexpr std::size_t kMostRanks = 64;

std::vector<plot::Group> time_groups() {
  using plot::Shape;
  return {{"computing", plot::kBlue, Shape::square},
          {"applying", plot::kGreen, Shape::square},
          {"transferring", plot::kVermilion, Shape::square},
          {"waiting", plot::kPale, Shape::square}};
}

/// Kinds of a rank's time, one behind the other.
void add_bars(plot::Gantt& chart, const RankCosts& costs, std::size_t row) {
  double begin = 0;
  std::size_t group = 0;
  for (const double seconds : {costs.computing, costs.applying, costs.transferring, costs.waiting}) {
    if (seconds > 0) chart.bars.push_back({row, group, begin, begin + seconds});
    begin += seconds;
    ++group;
  }
  chart.end = std::max(chart.end, begin);
}

/// "↑ 1.2 MB ↓ 1.2 MB, stale 3.1"
std::string note_of(const RankCosts& costs) {
  std::string text = fmt::format("↑ {} ↓ {}", bytes_text(costs.sent), bytes_text(costs.received));
  return costs.staleness ? text + fmt::format(", stale {:.3g}", *costs.staleness) : text;
}

/// The best trial, or the first one that has ranks.
std::int64_t drawn_trial(const OpenedStudy& study, const std::vector<std::int64_t>& trials) {
  const BestTrial best = best_trial_of(study);
  const bool has =
      best.trial.is_number() && std::binary_search(trials.begin(), trials.end(), best.trial.get<std::int64_t>());
  return has ? best.trial.get<std::int64_t>() : trials.front();
}

}  // namespace

PictureOrReason ranks_picture(const OpenedStudy& study, const PictureWishes&) {
  if (!has_ranks(study)) return {std::nullopt, "no trial of it was trained by several ranks"};
  const std::int64_t trial = drawn_trial(study, trials_with_ranks(study));
  const std::vector<RankCosts> costs = rank_costs(study, trial);
  if (costs.empty()) return {std::nullopt, "its ranks have left no costs"};
  plot::Gantt chart;
  chart.name = file_name(study, "ranks");
  chart.title = fmt::format("Time of the ranks of trial {} of {}", trial, short_name(study));
  chart.remark = costs.front().is_virtual ? "seconds of the virtual cluster; ↑ sent, ↓ received, stale: mean staleness"
                                          : "measured seconds; ↑ sent, ↓ received, stale: mean staleness";
  if (costs.size() > kMostRanks) chart.remark += fmt::format("; {} of {} are drawn", kMostRanks, costs.size());
  chart.axis = "seconds";
  chart.groups = time_groups();
  for (std::size_t i = 0; i < std::min(costs.size(), kMostRanks); ++i) {
    chart.rows.push_back({costs[i].name(), note_of(costs[i])});
    add_bars(chart, costs[i], i);
  }
  return {plot::gantt(chart)};
}

}  // namespace dlrun::report
