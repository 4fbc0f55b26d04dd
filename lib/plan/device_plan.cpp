// SPDX-License-Identifier: Apache-2.0
#include "plan/device_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "recipe/device_plan.hpp"
#include "recipe/training.hpp"
#include "spec/space_section.hpp"

namespace dlrun::plan {

namespace {

bool is_measured(const recipe::PlacementConfig& config) {
  const auto* const found = std::get_if<recipe::FoundPlacement>(&config);
  return found != nullptr && !found->profile.empty();
}

std::string milliseconds(double seconds) { return fmt::format("{:.3g} ms", seconds * 1e3); }

}  // namespace

std::optional<std::string> device_plan(const spec::StudySpec& spec) {
  const Json& trial = spec.json.at("trial");
  const auto config = recipe::read_placement(trial);
  if (!config || !spec.base_model || !spec.devices) return std::nullopt;
  const int batches = spec::most_batches(trial, spec.json.value("space", Json::array()));
  const recipe::DevicePlan plan =
      recipe::plan_devices(*spec.base_model, *config, {*spec.devices, trial.at("batch_size"), batches});
  const std::string costs = fmt::format("costs {}", is_measured(*config) ? "measured" : "estimated");
  const auto idle =
      std::count_if(plan.forward.begin(), plan.forward.end(), [](const auto& own) { return own.empty(); });
  const std::string unused = idle > 0 ? fmt::format(", {} of them without a layer", idle) : "";
  return fmt::format("{} devices{}; {} takes {}, on one device {} ({})", *spec.devices, unused, plan.step_text,
                     milliseconds(plan.seconds), milliseconds(plan.alone), costs);
}

}  // namespace dlrun::plan
