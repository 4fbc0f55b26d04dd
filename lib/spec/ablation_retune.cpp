// SPDX-License-Identifier: Apache-2.0
#include "spec/ablation_retune.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "samplers/sampler.hpp"
#include "spec/ablation_variants.hpp"
#include "spec/space_section.hpp"
#include "util/error.hpp"

namespace dlrun::spec {

using document::Node;

namespace {

constexpr const char* kRetune = "ablation.retune";

bool is_constant(const Json& parameter) { return parameter["type"] == "constant"; }

const Json* find(const Json& parameters, const std::string& name) {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(), [&](const Json& p) { return p["name"] == name; });
  return found == parameters.end() ? nullptr : &*found;
}

/// Names that the setting's conditions are about.
std::vector<std::string> conditions_of(const Json& setting) {
  std::vector<std::string> names;
  for (const auto& [name, values] : setting["when"].items()) names.push_back(name);
  return names;
}

void check_clashes(const Json& written, const DesignPlan& plan, Faults& faults) {
  if (plan.derived.contains("steps"))
    faults.at("ablation.design", "steps are from one configuration to another, and retune would change both",
              "remove retune, or take another design");
  if (written["start_from"] == "baseline")
    faults.at("ablation.start_from", "weights that the baseline learned with other settings are no fair start",
              "remove it, or retune");
  const Json& seeds = written["replicates"].is_object() ? written["replicates"]["seeds"] : Json();
  if (!seeds.is_array()) return;
  const auto is_taken = [&](const Json& seed) { return seed.is_number() && seed > kFirstTuning - tunings_of(written); };
  if (const auto taken = std::find_if(seeds.begin(), seeds.end(), is_taken); taken != seeds.end())
    faults.at("ablation.replicates.seeds", fmt::format("{} is a seed that settings are tuned with", to_text(*taken)),
              fmt::format("name one up to {}", kFirstTuning - tunings_of(written)));
}

void check_names(const Settings& settings, Faults& faults) {
  for (const Json& setting : settings.parameters) {
    for (const char* taken : {kVariant, kReplicate, kPurpose, kTuning}) {
      if (setting["name"] == taken)
        faults.at_key(path_of(setting), fmt::format("'{}' is a parameter of every ablation", taken),
                      "give it another name");
    }
    for (const std::string& on : conditions_of(setting)) {
      if (find(settings.parameters, on) == nullptr)
        faults.at(join(join(path_of(setting), "when"), on), "a setting that is retuned cannot depend on a constant",
                  "remove the condition");
    }
  }
}

/// Constants are part of the trial, and no longer of the space.
void check_constraints_of(const Settings& settings, Faults& faults) {
  const space::Space whole = make_space(settings.space, settings.constraints);
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

void check_room(const Json& retune, const Settings& settings, Faults& faults) {
  const auto points = make_space(settings.parameters, settings.constraints).cardinality();
  if (!points || !retune["trials"].is_number() || *points >= retune["trials"].get<std::int64_t>()) return;
  faults.at("ablation.retune.trials",
            fmt::format("E252: the space has {} points, so {} cannot be tried", *points, to_text(retune["trials"])),
            fmt::format("trials: {}, or widen the space", *points));
}

void check_sampler(const Json& retune, const Settings& settings, Faults& faults) {
  if (!retune["sampler"].is_string()) return;
  try {
    samplers::make_sampler(retune["sampler"], make_space(settings.parameters, settings.constraints), 0);
  } catch (const Error& fault) {
    faults.at("ablation.retune.sampler", fault.what(), fault.hint());
  }
}

bool lies_in(const std::string& place, const std::string& section) {
  return place == section || place.starts_with(section + '.') || place.starts_with(section + '[');
}

/// A place whose value makes the variant what it is: all that is set; of what is swapped, which it is.
std::vector<std::string> fixed_places(const Unit& unit) {
  std::vector<std::string> places;
  for (const auto& [place, value] : unit.sets.items())
    places.push_back(unit.kind == "swap" ? join(place, "op") : place);
  if (unit.kind != "swap") return places;
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

bool asks_to_retune(const Node& section) {
  const Node* retune = section.find("retune");
  return retune != nullptr && !retune->is_null();
}

Settings settings_of(const Json& study) {
  Settings out{study["space"], Json::array(), study.value("constraints", Json())};
  for (const Json& parameter : out.space) {
    if (!is_constant(parameter)) out.parameters.push_back(parameter);
  }
  return out;
}

void check_retune(const Json& written, const Settings& settings, const DesignPlan& plan, Faults& faults) {
  if (!written.contains("retune") || !written["retune"].is_object()) return;
  check_clashes(written, plan, faults);
  if (settings.parameters.empty())
    return faults.at(kRetune, "E252: there is no space to tune in",
                     "space: {lr: {at: optimizer.lr, type: float, low: 1e-4, high: 1e-1, scale: log}}");
  check_names(settings, faults);
  check_constraints_of(settings, faults);
  if (faults.list.has_errors()) return;
  check_room(written["retune"], settings, faults);
  check_sampler(written["retune"], settings, faults);
}

SettingHolder::SettingHolder(const Settings& settings, const Node& base, Json constants, const CheckStudy& check)
    : settings_(settings), base_(base), constants_(std::move(constants)), check_(check) {}

/// The first fault of the study with these settings; empty: there is none.
std::string SettingHolder::fault_with(const Node& trial, const std::vector<const Json*>& settings) const {
  Json space = constants_;
  for (const Json* setting : settings) space.push_back(*setting);
  Node study = trial;
  std::erase_if(study.entries, [](const document::Entry& entry) { return entry.key == "space"; });
  study.entries.push_back({"space", {}, node_at(space, {})});
  Faults faults;
  check_(study, faults);
  for (const document::Diagnostic& fault : faults.list.list()) {
    if (!fault.is_warning) return fault.message;
  }
  return {};
}

Json SettingHolder::held(const Json& trial, const std::vector<const Unit*>& off) const {
  Json held = Json::object();
  std::vector<const Json*> kept;
  const Node study = with_trial_at(base_, trial, {});
  for (const Json& setting : settings_.parameters) {
    const std::string name = setting["name"].get<std::string>();
    std::string why = fixed_by(setting, off);
    for (const std::string& on : conditions_of(setting)) {
      if (why.empty() && held.contains(on)) why = fmt::format("it depends on '{}'", on);
    }
    kept.push_back(&setting);
    if (why.empty()) why = fault_with(study, kept);
    if (why.empty()) continue;
    kept.pop_back();
    held[name] = why;
  }
  return held;
}

std::int64_t tunings_of(const Json& written) {
  if (!written.contains("retune") || written["retune"]["per"] != "replicate") return 1;
  const Json& replicates = written["replicates"];
  if (!replicates.is_object() || !replicates["n"].is_number()) return 1;  // a fault that is said elsewhere
  return replicates["seeds"].is_array() ? std::int64_t(replicates["seeds"].size())
                                        : replicates["n"].get<std::int64_t>();
}

Json tuning_parameters(const Json& written) {
  Json numbers = Json::array();
  for (std::int64_t k = 1; k <= tunings_of(written); ++k) numbers.push_back(k);
  return {{{"name", kPurpose},
           {"type", "categorical"},
           {"choices", {kComparison, kTuning}},
           {"at", nullptr},
           {"when", nullptr}},
          {{"name", kTuning},
           {"type", "ordinal"},
           {"choices", numbers},
           {"at", "first_replicate"},
           {"when", {{kPurpose, {kTuning}}}}}};
}

Json conditioned(const Json& settings, const Json& variants) {
  Json out = settings;
  for (Json& setting : out) {
    Json having = Json::array();
    for (const Json& variant : variants) {
      if (!variant.value("held", Json::object()).contains(setting["name"])) having.push_back(variant["id"]);
    }
    if (having.size() < variants.size()) setting["when"][kVariant] = having;
  }
  return out;
}

}  // namespace dlrun::spec
