// SPDX-License-Identifier: Apache-2.0
#include "spec/gang_processes.hpp"

#include <algorithm>

#include "recipe/parallel.hpp"

namespace dlrun::spec {

namespace {

/// Does a text stand somewhere that fits?
template <class Fits>
bool mentions(const Json& json, const Fits& fits) {
  if (json.is_string()) return fits(json.get_ref<const std::string&>());
  if (!json.is_structured()) return false;
  return std::any_of(json.begin(), json.end(), [&](const Json& part) { return mentions(part, fits); });
}

/// Any trial's, as its own value, a choice, or in a variant of an ablation.
template <class Fits>
bool has_trial_with(const Json& study, const char* section, const Fits& fits) {
  if (mentions(study.at("trial").value(section, Json()), fits)) return true;
  return mentions(study.value("space", Json()), fits) || mentions(study.value("ablation", Json()), fits);
}

/// The most ranks that a trial has, of the base trial's method.
int most_ranks(const StudySpec& spec, int base) {
  double most = base;
  for (const Json& parameter : spec.json.at("space")) {
    if (parameter.at("at") != "parallel.ranks") continue;
    if (parameter.contains("high") && parameter["high"].is_number())
      most = std::max(most, parameter["high"].get<double>());
    for (const Json& choice : parameter.value("choices", Json::array())) {
      if (choice.is_number()) most = std::max(most, choice.get<double>());
    }
  }
  return int(most);
}

}  // namespace

bool has_processes(const Json& study) {
  return study.at("trial").value("kind", Json()) == "train" &&
         has_trial_with(study, "cluster", [](const std::string& op) { return op == "processes"; });
}

int processes_of(const StudySpec& spec) {
  if (!has_processes(spec.json)) return 1;
  auto config = recipe::read_parallel(spec.json.at("trial"));
  if (!config) return 1;
  config->cluster.is_virtual = false;
  config->gang.ranks = most_ranks(spec, config->gang.ranks);
  return std::max(1, recipe::processes_of(*config));
}

int cores_of(const StudySpec& spec) {
  return std::max(1, spec.threads_per_trial) * spec.devices.value_or(1) * processes_of(spec);
}

namespace {

/// Rounds that end without their slowest gradients.
bool may_drop(const Json& study) {
  const Json gang = study.at("trial").value("parallel", Json());
  if (gang.is_object() && gang.value("drop_slowest", Json(0)) != 0) return true;
  return mentions(study.value("space", Json()), [](const std::string& at) { return at == "parallel.drop_slowest"; });
}

}  // namespace

std::string unsteady_reason(const Json& trial) {
  const auto config = recipe::read_parallel(trial);
  if (!config || recipe::processes_of(*config) == 0) return {};
  const std::string op = recipe::to_json(*config).at("op").get<std::string>();
  if (recipe::is_out_of_step(op)) return "ranks of " + op + " in processes do not take their steps together";
  const auto* const bsp = std::get_if<parallel::Bsp>(&config->gang.method);
  if (bsp != nullptr && bsp->drop_slowest > 0) return "rounds end without their slowest gradients";
  return config->gang.on_loss == "elastic" ? "ranks go on without one that is lost" : "";
}

bool has_racing_ranks(const Json& study) {
  return has_processes(study) && (may_drop(study) || has_trial_with(study, "parallel", [](const std::string& word) {
                                    return recipe::is_out_of_step(word);
                                  }));
}

bool repeats(const StudySpec& spec) {
  const auto is_elastic = [](const std::string& word) { return word == "elastic"; };
  return !has_racing_ranks(spec.json) &&
         !(has_processes(spec.json) && has_trial_with(spec.json, "parallel", is_elastic));
}

}  // namespace dlrun::spec
