// SPDX-License-Identifier: Apache-2.0
// Objectives that are losses, beside parameters that change the loss.
#include <fmt/format.h>

#include "recipe/loss_units.hpp"
#include "recipe/outputs.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

namespace {

/// A metric that no loss changes, as an example.
std::string another_metric(const Json& trial) {
  for (const recipe::OutputSection& output : recipe::outputs_of(trial)) {
    if (!output.metrics.is_array() || output.metrics.empty() || !output.metrics[0].is_string()) continue;
    return fmt::format("val.{}{}", output.name.empty() ? "" : output.name + ".", output.metrics[0].get<std::string>());
  }
  return "val.accuracy";
}

void check_parameter(const Json& parameter, const std::string& metric, const Json& study, Faults& faults) {
  const Json at = parameter.value("at", Json());
  if (!at.is_string() || !recipe::changes_units(metric, at.get<std::string>(), study["trial"])) return;
  const auto name = parameter.value("name", at.get<std::string>());
  const std::string other = another_metric(study["trial"]);
  if (study.value("winner", Json()).is_object()) {
    faults.at_key("winner", fmt::format("the race compares by {}, but '{}' changes the loss", metric, name),
                  fmt::format("make another metric the objective, as {}, or remove it", other));
    return;
  }
  faults.warn(path_of(parameter),
              fmt::format("'{}' changes the loss, so trials cannot be compared by {}", name, metric),
              fmt::format("make another metric the objective, as {}", other));
}

}  // namespace

void check_units(const Json& study, Faults& faults) {
  const Json &objective = study["objective"], &space = study["space"];
  if (study["trial"]["kind"] != "train" || !space.is_array()) return;
  for (const Json& one : objective.is_array() ? objective : Json::array({objective})) {
    const Json metric = one.is_object() ? one.value("metric", Json()) : Json();
    if (!metric.is_string()) continue;
    for (const Json& parameter : space) check_parameter(parameter, metric.get<std::string>(), study, faults);
  }
}

}  // namespace dlrun::spec
