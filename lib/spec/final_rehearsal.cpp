// SPDX-License-Identifier: Apache-2.0
#include "spec/final_rehearsal.hpp"

#include "ablation/baseline.hpp"
#include "spec/study_checker.hpp"
#include "trial/runner.hpp"

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

/// The first fault of the trial with these settings.
std::optional<document::Diagnostic> fault_with(const Json& sets, Json trial, const Node& root, const Source& source) {
  for (const char* key : {"horizon", "init", "warm_start", "replicates"}) trial.erase(key);
  std::vector<std::string> left_out;
  const StudyChecker checker(source);
  Faults found;
  try {
    Node alone = ablation::without_search(root, left_out);
    std::erase_if(alone.entries,
                  [](const document::Entry& entry) { return entry.key == "final" || entry.key == "space"; });
    checker.check(ablation::with_trial(std::move(alone), trial::configured(trial, sets), checker), found);
  } catch (const Error& fault) {
    return document::Diagnostic{{}, fault.what(), fault.hint(), {}, false};
  }
  const document::Diagnostic* fault = ablation::first_fault(found);
  return fault == nullptr ? std::nullopt : std::optional(*fault);
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
  if (sets.empty() || tried(Json::object())) return;  // the space sets what is missing
  const auto fault = tried(sets);
  if (!fault) return;
  const std::string place = culprit(sets, tried);
  const std::string at = place.empty() ? "final" : (written.contains(place) ? "final.set." : "final.") + place;
  faults.at(at, "in the final training: " + fault->message, fault->help);
}

}  // namespace dlrun::spec
