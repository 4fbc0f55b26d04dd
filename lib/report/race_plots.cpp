// SPDX-License-Identifier: Apache-2.0
// The picture of a race: how far the others are behind its leader.
#include <fmt/format.h>

#include "plot/forest.hpp"
#include "report/race_standings.hpp"

namespace dlrun::report {

namespace {

plot::ForestRow row_of(const Standings& standings, std::size_t contender) {
  const statistics::Effect behind = standings.behind(contender);
  plot::ForestRow row{standings.name(contender), std::size_t(standings.race().out[contender].has_value()), std::nullopt,
                      standings.text(contender)};
  if (behind.n > 0) row.effect = {behind.mean, behind.low, behind.high};
  return row;
}

}  // namespace

std::vector<NamedPicture> race_pictures(const AblationStudy& study) {
  const Standings standings(study, Audience::people);
  const statistics::Race& race = standings.race();
  if (!race.leader || race.rounds < 2) return {};
  plot::Forest chart{
      study.name + "-race",
      fmt::format("How far the others are behind {} by {}", standings.name(*race.leader), study.metric),
      fmt::format("{} replicates, intervals of {:.3g} %, as the race judges", race.rounds, 100 * standings.level()),
      fmt::format("{} is better by (right of 0)", standings.name(*race.leader)),
      0,
      "",
      {{"not shown to be worse", plot::kQuiet, plot::Shape::open_circle},
       {"dropped out", plot::kVermilion, plot::Shape::diamond}},
      {}};
  for (const std::size_t i : standings.order()) {
    if (i != race.leader) chart.rows.push_back(row_of(standings, i));
  }
  return {{"ablation", plot::forest(chart)}};
}

}  // namespace dlrun::report
