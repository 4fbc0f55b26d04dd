// SPDX-License-Identifier: Apache-2.0
#include "report/study_placement.hpp"

#include <fmt/format.h>

#include "dataset/schema_json.hpp"
#include "model/graph.hpp"
#include "recipe/outputs.hpp"
#include "report/picture_trials.hpp"
#include "report/placement_drawing.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

/// Settings of the best trial, or of the study if that trial is not placed, or there is none.
struct PlacedTrial {
  Json settings;
  std::optional<std::int64_t> number;
};

bool is_placed(const Json& trial) { return !trial.value("placement", Json()).is_null(); }

PlacedTrial placed_trial(const OpenedStudy& study, const Json& spec) {
  const BestTrial best = best_trial_of(study);
  if (best.trial.is_number()) {
    const auto number = best.trial.get<std::int64_t>();
    const Json settings = config_of(study, number);
    if (is_placed(settings)) return {settings, number};
  }
  return {spec.at("trial"), std::nullopt};
}

bool is_measured(const recipe::PlacementConfig& config) {
  const auto* const found = std::get_if<recipe::FoundPlacement>(&config);
  return found != nullptr && !found->profile.empty();
}

StudyPlacement placed(const PlacedTrial& trial, const Json& spec) {
  const dataset::Schema schema = dataset::schema_from_json(spec.at("derived").at("data"));
  const model::Graph model = model::build(trial.settings.at("model"), recipe::interface_of(schema, trial.settings));
  const auto config = recipe::read_placement(trial.settings);
  const int devices = spec.at("resources").at("devices").get<int>();
  return {recipe::place_model(model, *config,
                              {devices, trial.settings.at("batch_size"), trial.settings.value("accumulate", 1)}),
          trial.number, is_measured(*config)};
}

PlacementOrReason computed(const OpenedStudy& study) {
  const Json spec = study.spec();
  const Json devices = spec.value("resources", Json::object()).value("devices", Json());
  if (!devices.is_number_integer() || devices < 2) return {nullptr, "one device computes its trials"};
  const PlacedTrial trial = placed_trial(study, spec);
  if (!is_placed(trial.settings)) return {nullptr, "nothing is placed on its devices"};
  try {
    return {std::make_shared<const StudyPlacement>(placed(trial, spec))};
  } catch (const std::exception& fault) {
    return {nullptr, fault.what()};
  }
}

}  // namespace

std::string StudyPlacement::text() const {
  return fmt::format("decided by {}; {} takes {:.3g} ms, on one device {:.3g} ms (costs {})", placed.decided,
                     placed.step_text(), 1e3 * placed.outcome.seconds, 1e3 * placed.alone,
                     is_measured ? "measured" : "estimated");
}

PlacementOrReason study_placement(const OpenedStudy& study) {
  if (!study.remembered) return computed(study);
  auto& known = study.remembered->placement;
  if (!known) known = std::make_shared<const PlacementOrReason>(computed(study));
  return *known;
}

PictureOrReason placement_picture(const OpenedStudy& study, const PictureWishes&) {
  const PlacementOrReason found = study_placement(study);
  if (!found.placement) return {std::nullopt, found.reason};
  const recipe::PlacedModel& placed = found.placement->placed;
  const std::string of = found.placement->trial ? fmt::format("trial {} of ", *found.placement->trial) : "";
  return {
      step_picture(file_name(study, "placement"),
                   fmt::format("A training step of {}{} on {} devices", of, short_name(study), placed.cluster.size()),
                   found.placement->text(), {placed.step, placed.cluster, placed.outcome})};
}

}  // namespace dlrun::report
