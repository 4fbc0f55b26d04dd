// SPDX-License-Identifier: Apache-2.0
// The Pareto front of a study with several objectives, a panel for each two of them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "plot/scatter.hpp"
#include "report/picture_trials.hpp"

namespace dlrun::report {

namespace {

constexpr std::size_t kMostPairs = 6;

enum FrontMark { kInfeasible, kDominated, kOnFront, kEdge };

std::vector<plot::Group> front_groups() {
  using plot::Shape;
  return {{"infeasible", plot::kPurple, Shape::open_diamond},
          {"dominated", plot::kQuiet, Shape::open_circle},
          {"on the front", plot::kBlue, Shape::disc},
          {"", plot::kBlue, Shape::square}};
}

/// Trials that are drawn, and which of them are on the front.
struct Seen {
  std::vector<Scored> trials;
  std::set<std::int64_t> on_front;
  std::size_t all = 0;
};

Seen seen_of(const OpenedStudy& study, std::size_t most) {
  const std::vector<Scored> all = completed_of(study);
  Seen seen{{}, {}, all.size()};
  for (const Scored& one : front_scores(study)) seen.on_front.insert(one.trial);
  std::vector<bool> must;
  for (const Scored& one : all) must.push_back(seen.on_front.count(one.trial) > 0);
  for (const std::size_t i : even_sample(must, most)) seen.trials.push_back(all[i]);
  return seen;
}

plot::Axis axis_for(const ShownGoal& goal, const Seen& seen) {
  std::vector<double> values;
  for (const Scored& one : seen.trials) {
    if (one.score.is_feasible()) values.push_back(drawable(one.values[goal.number]));
  }
  plot::Axis axis = value_axis(goal, values, false);
  axis.title += goal.maximize ? " (higher is better)" : " (lower is better)";
  return axis;
}

/// The edge of all that the front dominates: from its best x on, sidewards, then up or down.
plot::Trace edge_of(const std::vector<plot::Point>& points, const ShownGoal& x) {
  plot::Trace edge{kEdge, 1.5, true, points};
  std::sort(edge.points.begin(), edge.points.end(),
            [&](const plot::Point& a, const plot::Point& b) { return x.maximize ? a.x > b.x : a.x < b.x; });
  return edge;
}

plot::ScatterPanel panel_of(const Seen& seen, const ShownGoal& x, const ShownGoal& y, bool has_edge) {
  plot::ScatterPanel panel{axis_for(x, seen), axis_for(y, seen), {}, std::vector<std::vector<plot::Point>>(3)};
  for (const Scored& one : seen.trials) {
    const FrontMark mark =
        !one.score.is_feasible() ? kInfeasible : (seen.on_front.count(one.trial) > 0 ? kOnFront : kDominated);
    panel.marks[mark].push_back({drawable(one.values[x.number]), drawable(one.values[y.number])});
  }
  if (has_edge && !panel.marks[kOnFront].empty()) panel.traces = {edge_of(panel.marks[kOnFront], x)};
  return panel;
}

std::string pairs_text(std::size_t drawn, std::size_t all) {
  return drawn >= all ? "" : fmt::format("; the first {} of {} pairs of objectives", drawn, all);
}

}  // namespace

PictureOrReason front_picture(const OpenedStudy& study, const PictureWishes&) {
  if (study.further.empty()) return {std::nullopt, "it has one objective"};
  const std::vector<ShownGoal> goals = shown_goals(study);
  const std::size_t all_pairs = goals.size() * (goals.size() - 1) / 2, pairs = std::min(kMostPairs, all_pairs);
  const Seen seen = seen_of(study, kMostMarks / pairs);
  if (seen.trials.empty()) return {std::nullopt, "no trial has completed"};
  const bool is_one = pairs == 1;
  plot::Scatter chart{file_name(study, "front"),
                      fmt::format("Pareto front of {}", short_name(study)),
                      fmt::format("{} of {} completed trials are on the front{}{}", seen.on_front.size(), seen.all,
                                  drawn_text(seen.trials.size(), seen.all), pairs_text(pairs, all_pairs)),
                      front_groups(),
                      {},
                      is_one ? 460 : 230,
                      is_one ? 340 : 200,
                      false};
  for (std::size_t a = 0; a < goals.size(); ++a) {
    for (std::size_t b = a + 1; b < goals.size() && chart.panels.size() < pairs; ++b)
      chart.panels.push_back(panel_of(seen, goals[a], goals[b], is_one));
  }
  return {plot::scatter(chart)};
}

}  // namespace dlrun::report
