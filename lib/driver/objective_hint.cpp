// SPDX-License-Identifier: Apache-2.0
#include "driver/objective_hint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dlrun::driver {

ObjectiveHint::ObjectiveHint(const spec::StudySpec& spec, const study::Study& study, Display& display)
    : metric_(spec.rules.objective.metric),
      display_(display),
      is_over_(spec.kind != "command" || study.best().has_value()) {}

void ObjectiveHint::see(const trial::Member& member, const trial::Report& report) {
  if (is_over_) return;
  Seen& seen = members_.try_emplace(member, Seen{report.step, {}}).first->second;
  for (const trial::Metric& metric : report.metrics) seen.names.insert(metric.name);
  is_over_ = seen.names.contains(metric_);
  if (!is_over_ && report.step > seen.first_step) tell(member, seen.names);
}

void ObjectiveHint::tell(const trial::Member& member, const std::set<std::string>& names) {
  is_over_ = true;
  display_.line(fmt::format(
      "trial {} reports '{}', but so far not the objective '{}'; if that is misspelt, every trial fails at its end",
      member.trial.value, fmt::join(names, "', '"), metric_));
}

}  // namespace dlrun::driver
