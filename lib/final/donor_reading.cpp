// SPDX-License-Identifier: Apache-2.0
#include "final/donor_reading.hpp"

#include <fmt/format.h>

#include "recipe/metric_direction.hpp"
#include "trial/kinds.hpp"
#include "util/error.hpp"

namespace dlrun::final {

namespace {

Json objectives_of(const Json& study) {
  const Json& all = study.at("objective");
  return all.is_array() ? all : Json::array({all});
}

/// An objective has its direction, another metric the one that its name tells.
bool is_maximized(const std::string& metric, const Json& givers) {
  for (const Json& objective : objectives_of(givers)) {
    if (objective.at("metric") == metric) return objective.value("direction", "") == "maximize";
  }
  const std::string direction = recipe::direction_of(metric);
  if (direction.empty())
    throw Error(ErrorKind::usage, fmt::format("from.rank_by: '{}' does not tell whether more of it is better", metric),
                "rank by an objective of the study, which has a direction");
  return direction == "maximize";
}

}  // namespace

Reading reading_of(const Json& search, const Json& givers, const Json& from) {
  const Json objective = objectives_of(search).at(0);
  const Json by = from.value("rank_by", Json()), at = from.value("at", Json());
  Reading out;
  out.metric = by.is_string() ? by.get<std::string>() : objective.at("metric").get<std::string>();
  out.maximize = by.is_string() ? is_maximized(out.metric, givers) : objective.value("direction", "") == "maximize";
  if (at.is_number()) out.epoch = at.get<std::int64_t>();
  const bool is_program = trial::runs_program(search.at("trial").at("kind").get<std::string>());
  const std::string usual = objective.value("at", Json()) == "best" && !is_program ? "best" : "last";
  out.role = at.is_string() ? at.get<std::string>() : usual;
  return out;
}

}  // namespace dlrun::final
