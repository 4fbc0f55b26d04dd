// SPDX-License-Identifier: Apache-2.0
#include "ablation/retune.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ablation/cells.hpp"
#include "samplers/sampler.hpp"
#include "util/error.hpp"

namespace dlrun::ablation {

namespace {

constexpr const char* kRetune = "ablation.retune";

bool is_constant(const Json& parameter) { return parameter["type"] == "constant"; }

std::string path_of(const Json& parameter) { return join("space", parameter["name"].get<std::string>()); }

bool has_parameter(const Json& parameters, const std::string& name) {
  return std::any_of(parameters.begin(), parameters.end(), [&](const Json& p) { return p["name"] == name; });
}

/// Names that the setting's conditions are about.
Names conditions_of(const Json& setting) {
  Names names;
  for (const auto& [name, values] : setting["when"].items()) names.push_back(name);
  return names;
}

void check_clashes(const Section& section, const DesignPlan& plan, Faults& faults) {
  if (plan.steps)
    faults.at("ablation.design", "steps are from one configuration to another, and retune would change both",
              "remove retune, or take another design");
  if (section.starts_from_baseline())
    faults.at("ablation.start_from", "weights that the baseline learned with other settings are no fair start",
              "remove it, or retune");
  if (!section.replicates.seeds) return;
  const std::int64_t last_free = kFirstTuning - section.tunings();
  for (const std::int64_t seed : *section.replicates.seeds) {
    if (seed > last_free)
      return faults.at("ablation.replicates.seeds", fmt::format("{} is a seed that settings are tuned with", seed),
                       fmt::format("name one up to {}", last_free));
  }
}

void check_setting_names(const Settings& settings, Faults& faults) {
  for (const Json& setting : settings.parameters) {
    for (const char* taken : {kVariant, kReplicate, kPurpose, kTuning}) {
      if (setting["name"] == taken)
        faults.at_key(path_of(setting), fmt::format("'{}' is a parameter of every ablation", taken),
                      "give it another name");
    }
    for (const std::string& on : conditions_of(setting)) {
      if (!has_parameter(settings.parameters, on))
        faults.at(join(join(path_of(setting), "when"), on), "a setting that is retuned cannot depend on a constant",
                  "remove the condition");
    }
  }
}

/// Constants are part of the trial, and no longer of the space.
void check_constraints_of(const Settings& settings, const Checker& checker, Faults& faults) {
  const space::Space whole = checker.space_of(settings.space, settings.constraints);
  const auto is_bad = [&](std::size_t parameter) { return is_constant(settings.space.at(parameter)); };
  for (std::size_t i = 0; i < whole.constraints().size(); ++i) {
    bool names_constant = false;
    const auto& rule = whole.constraints()[i].rule;
    if (const auto* sum = std::get_if<space::Linear>(&rule)) {
      for (const space::Term& term : sum->terms) names_constant |= is_bad(term.parameter);
    } else {
      for (const space::Clause& clause : std::get<space::Forbidden>(rule).all_of)
        names_constant |= is_bad(clause.parameter);
    }
    if (names_constant)
      faults.at(join("constraints", std::to_string(i)), "a constraint of what is retuned cannot name a constant",
                "write its value");
  }
}

void check_room(const Retune& retune, const space::Space& tuned, Faults& faults) {
  const auto points = tuned.cardinality();
  if (!points || *points >= retune.trials) return;
  faults.at("ablation.retune.trials",
            fmt::format("E252: the space has {} points, so {} cannot be tried", *points, retune.trials),
            fmt::format("trials: {}, or widen the space", *points));
}

void check_sampler(const Retune& retune, const space::Space& tuned, Faults& faults) {
  try {
    samplers::make_sampler(retune.sampler, tuned, 0);
  } catch (const Error& fault) {
    faults.at("ablation.retune.sampler", fault.what(), fault.hint());
  }
}

/// Places whose value makes the variant what it is: all that are set; of a swapped section or layer its `op`.
Names fixed_places(const Unit& unit) {
  Names places;
  for (const auto& [place, value] : unit.sets.items())
    places.push_back(unit.kind() == "swap" ? join(place, "op") : place);
  if (unit.kind() != "swap") return places;
  for (const std::string& node : unit.nodes) places.push_back(join(join("model.nodes", node), "op"));
  return places;
}

std::string fixed_by(const Json& setting, const std::vector<const Unit*>& off) {
  const auto at = setting["at"].is_string() ? setting["at"].get<std::string>() : "";
  for (const Unit* unit : off) {
    for (const std::string& place : fixed_places(*unit)) {
      if (!at.empty() && (lies_in(at, place) || lies_in(place, at)))
        return fmt::format("'{}' sets {}", unit->id, place);
    }
  }
  return {};
}

}  // namespace

Settings settings_of(const Json& study) {
  Settings out{study["space"], Json::array(), study.value("constraints", Json())};
  for (const Json& parameter : out.space) {
    if (!is_constant(parameter)) out.parameters.push_back(parameter);
  }
  return out;
}

void check_retune(const Section& section, const Settings& settings, const DesignPlan& plan, const Checker& checker,
                  Faults& faults) {
  if (!section.retune) return;
  check_clashes(section, plan, faults);
  if (settings.parameters.empty())
    return faults.at(kRetune, "E252: there is no space to tune in",
                     "space: {lr: {at: optimizer.lr, type: float, low: 1e-4, high: 1e-1, scale: log}}");
  check_setting_names(settings, faults);
  check_constraints_of(settings, checker, faults);
  if (faults.list.has_errors()) return;
  const space::Space tuned = checker.space_of(settings.parameters, settings.constraints);
  check_room(*section.retune, tuned, faults);
  check_sampler(*section.retune, tuned, faults);
}

SettingHolder::SettingHolder(const Settings& settings, const Baseline& base, Json constants)
    : settings_(settings), base_(base), constants_(std::move(constants)) {}

/// The first fault of the study with these settings; empty: there is none.
std::string SettingHolder::fault_with(const Node& trial, const std::vector<const Json*>& settings) const {
  Json space = constants_;
  for (const Json* setting : settings) space.push_back(*setting);
  Node study = trial;
  std::erase_if(study.entries, [](const document::Entry& entry) { return entry.key == "space"; });
  study.entries.push_back({"space", {}, node_at(space)});
  Faults faults;
  base_.checker.check(study, faults);
  const document::Diagnostic* fault = first_fault(faults);
  return fault == nullptr ? std::string() : fault->message;
}

std::map<std::string, std::string> SettingHolder::held(const Json& trial, const std::vector<const Unit*>& off) const {
  std::map<std::string, std::string> held;
  std::vector<const Json*> kept;
  const Node study = with_trial(base_.root, trial, base_.checker);
  for (const Json& setting : settings_.parameters) {
    std::string why = fixed_by(setting, off);
    for (const std::string& on : conditions_of(setting)) {
      if (why.empty() && held.contains(on)) why = fmt::format("it depends on '{}'", on);
    }
    kept.push_back(&setting);
    if (why.empty()) why = fault_with(study, kept);
    if (why.empty()) continue;
    kept.pop_back();
    held[setting["name"].get<std::string>()] = why;
  }
  return held;
}

}  // namespace dlrun::ablation
