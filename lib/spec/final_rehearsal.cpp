// SPDX-License-Identifier: Apache-2.0
#include "spec/final_rehearsal.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ablation/baseline.hpp"
#include "recipe/length.hpp"
#include "spec/study_checker.hpp"
#include "trial/runner.hpp"
#include "warmstart/race.hpp"

namespace dlrun::spec {

using document::Node;

namespace {

void check_donors_study(const Json& final, const Source& source, Faults& faults) {
  const Json start = final.value("warm_start", Json());
  const Json from = start.is_object() ? start.value("from", Json()) : Json();
  const Json study = from.is_object() ? from.value("study", Json()) : Json();
  if (!study.is_string() || !source.has_study || source.has_study(study)) return;
  faults.at("final.warm_start.from.study", "the store has no study " + document::quote(study.get<std::string>()),
            "`dlrun studies` lists them");
}

/// The first fault of the trial with these settings. @param arm  epochs to which it is shortened; 0: none
std::optional<document::Diagnostic> fault_with(const Json& sets, Json trial, const Node& root, const Source& source,
                                               std::int64_t arm = 0) {
  for (const char* key : {"horizon", "init", "warm_start", "replicates"}) trial.erase(key);
  std::vector<std::string> left_out;
  const StudyChecker checker(source);
  Faults found;
  try {
    Node alone = ablation::without_search(root, left_out);
    std::erase_if(alone.entries,
                  [](const document::Entry& entry) { return entry.key == "final" || entry.key == "space"; });
    trial = trial::configured(trial, sets);
    if (arm > 0) trial = recipe::lasting(checker.concise(trial), arm);
    checker.check(ablation::with_trial(std::move(alone), trial, checker), found);
  } catch (const Error& fault) {
    return document::Diagnostic{{}, fault.what(), fault.hint(), {}, false};
  }
  const document::Diagnostic* fault = ablation::first_fault(found);
  return fault == nullptr ? std::nullopt : std::optional(*fault);
}

bool searches_epochs(const Json& space) {
  return std::any_of(space.begin(), space.end(),
                     [](const Json& parameter) { return parameter.value("at", Json()) == "epochs"; });
}

/// Epochs of the final training; nullopt: the trial that is the best decides.
std::optional<std::int64_t> whole_epochs(const Json& study) {
  const Json asked = study["final"].value("epochs", Json()), horizon = study["trial"].value("horizon", Json());
  if (asked.is_number()) return asked.get<std::int64_t>();
  if (horizon.is_number()) return horizon.get<std::int64_t>();
  if (searches_epochs(study["space"])) return std::nullopt;
  return study["trial"].at("epochs").get<std::int64_t>();
}

/// An arm of a race trains the same on a shorter schedule, for which some settings may be too long.
/// @param sets  under which the whole has no fault
void rehearse_arm(const Json& study, Json sets, const Node& root, const Source& source, Faults& faults) {
  const auto race = warmstart::race_of(study["final"].value("warm_start", Json()));
  const std::optional<std::int64_t> whole = whole_epochs(study);
  if (!race || !whole || race->arm_epochs(*whole) >= *whole || study["trial"]["kind"] != "train") return;
  sets["epochs"] = *whole;
  const auto fault = fault_with(sets, study["trial"], root, source, race->arm_epochs(*whole));
  if (!fault) return;
  const std::string at = "final.warm_start.race.epochs";
  faults.at(faults.was_written(at) ? at : "final.warm_start.policy",
            fmt::format("in an arm of the race, which has {} epochs: {}", race->arm_epochs(*whole), fault->message),
            "write more epochs as warm_start.race.epochs, or name the policy");
}

/// The first setting without which there is no fault, else the first that is a fault alone; empty: there is none such.
template <class Tried>
std::string culprit(const Json& sets, const Tried& tried) {
  for (const auto& [place, value] : sets.items()) {
    Json others = sets;
    others.erase(place);
    if (!tried(others)) return place;
  }
  for (const auto& [place, value] : sets.items()) {
    if (tried({{place, value}})) return place;
  }
  return {};
}

}  // namespace

void rehearse_final(const Json& study, const Node& root, const Source& source, Faults& faults) {
  const Json final = study.value("final", Json());
  if (faults.list.has_errors() || !final.is_object() || final.value("of", Json()).is_string()) return;
  check_donors_study(final, source, faults);
  const Json written = final.value("set", Json()), epochs = final.value("epochs", Json());
  Json sets = written.is_object() ? written : Json::object();
  if (epochs.is_number()) sets["epochs"] = epochs;
  const auto tried = [&](const Json& some) { return fault_with(some, study["trial"], root, source); };
  const bool is_race = warmstart::race_of(final.value("warm_start", Json())).has_value();
  if ((sets.empty() && !is_race) || tried(Json::object())) return;  // the space sets what is missing
  const auto fault = tried(sets);
  if (!fault) return rehearse_arm(study, sets, root, source, faults);
  const std::string place = culprit(sets, tried);
  const std::string at = place.empty() ? "final" : (written.contains(place) ? "final.set." : "final.") + place;
  faults.at(at, "in the final training: " + fault->message, fault->help);
}

}  // namespace dlrun::spec
