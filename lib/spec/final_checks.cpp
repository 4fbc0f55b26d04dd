// SPDX-License-Identifier: Apache-2.0
// `final:` of a study: the training after the search.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "ablation/cells.hpp"
#include "recipe/metric_direction.hpp"
#include "spec/space_section.hpp"
#include "spec/study_spec.hpp"
#include "spec/warm_checks.hpp"
#include "trial/kinds.hpp"
#include "trial/runner.hpp"
#include "warmstart/race.hpp"

namespace dlrun::spec {

using NameSet = std::set<std::string>;

namespace {

const std::vector<std::string> kTrainPolicies(warmstart::kWarmPolicies.begin() + 1, warmstart::kWarmPolicies.end());
/// dlrun gives a program a file and knows no tensor in it, so it can go on by itself alone.
const std::vector<std::string> kProgramPolicies{"best"};

void check_arms(const Json& final, const std::vector<std::string>& policies, Faults& faults) {
  if (!final["compare"].is_array()) return;
  std::vector<std::string> known{"kaiming", "kaiming_longer"};
  known.insert(known.end(), policies.begin(), policies.end());
  if (policies.size() > 1) known.emplace_back(warmstart::kFinish);
  NameSet seen;
  for (std::size_t i = 0; i < final["compare"].size(); ++i) {
    if (!final["compare"][i].is_string()) continue;
    const std::string arm = final["compare"][i].get<std::string>(), at = fmt::format("final.compare.{}", i);
    if (std::find(known.begin(), known.end(), arm) == known.end())
      faults.at(at, fmt::format("there is no '{}' to compare with", arm), suggest(arm, known));
    if (!seen.insert(arm).second) faults.at(at, fmt::format("'{}' is named twice", arm), "name each once");
  }
  if (final["seeds"] == 1)
    faults.at(faults.was_written("final.seeds") ? "final.seeds" : "final.compare",
              "one seed cannot tell rivals from luck", "write seeds: 10");
}

Json texts_of(const Json& list) {
  Json out = Json::array();
  for (const Json& one : list.is_array() ? list : Json::array()) {
    if (one.is_string()) out.push_back(one);
  }
  return out;
}

/// Rivals and arms of a race, which go by the section too.
Json takers_of(const Json& final) {
  Json out = texts_of(final["compare"]);
  const Json race = final["warm_start"].value("race", Json());
  for (Json& arm : texts_of(race.is_object() ? race.value("arms", Json()) : Json())) out.push_back(std::move(arm));
  return out;
}

/// `last`, `best` or a number of epochs.
void check_reading(Json& from, Faults& faults) {
  if (!from.is_object()) return;
  const Json& at = from["at"];
  const bool is_known = at.is_null() || at == "last" || at == "best" || (at.is_number_integer() && at > 0);
  if (!is_known)
    faults.at("final.warm_start.from.at",
              fmt::format("there is no checkpoint '{}'", at.is_string() ? at.get<std::string>() : to_text(at)),
              "last, best, or a number of epochs");
}

bool has_objective(const Json& study, const std::string& metric) {
  const Json& all = study.at("objective");
  const auto names_it = [&](const Json& one) { return one.is_object() && one.value("metric", Json()) == metric; };
  return all.is_array() ? std::any_of(all.begin(), all.end(), names_it) : names_it(all);
}

/// The plan asks another study for its objectives, or the search where `final:` is read alone.
void check_rank_direction(const Json& study, Faults& faults) {
  const Json from = study["final"]["warm_start"].value("from", Json());
  const Json by = from.is_object() ? from.value("rank_by", Json()) : Json();
  const bool is_here = study.contains("objective") && from.is_object() && !from.value("study", Json()).is_string();
  if (!by.is_string() || !is_here || has_objective(study, by)) return;
  if (recipe::direction_of(by.get<std::string>()).empty())
    faults.at("final.warm_start.from.rank_by",
              fmt::format("{} does not tell whether more of it is better", document::quote(by.get<std::string>())),
              "rank by an objective, which has a direction");
}

void check_program(Json& start, Faults& faults) {
  const std::string at = "final.warm_start";
  refuse_for_program(start, at, faults);
  const Json& policy = start["policy"];
  if (policy.is_string() && policy != "none" && policy != "best" && policy != "race")
    faults.at(at + ".policy",
              fmt::format("'{}' needs to know the tensors of a checkpoint, which only its program does",
                          policy.get<std::string>()),
              "best, none, or a race of the two");
  if (start["from"].is_object() && start["from"]["at"] == "best")
    faults.at(at + ".from.at", "a program leaves no checkpoint of its best epoch", "last, or a number of epochs");
}

/// Refuses places that a key of `final:` speaks for: plans, rivals and reports go by that key. Folds stay, for weights
/// of a fold have seen what others are validated on.
void check_sets(const Json& final, Faults& faults) {
  const Json sets = final.value("set", Json());
  if (!sets.is_object() || final.value("of", Json()).is_string()) return;
  const std::map<std::string, std::string> keys{
      {"epochs", "epochs"}, {"replicates", "seeds"}, {"warm_start", "warm_start"}};
  for (const auto& [place, value] : sets.items()) {
    if (place == "folds") faults.at_key("final.set.folds", "a final training has the folds of its search", "remove it");
    const auto key = keys.find(place.substr(0, place.find('.')));
    if (key != keys.end())
      faults.at_key("final.set." + place,
                    fmt::format("'final.{}' is the key for it, by which rivals and reports go", key->second),
                    fmt::format("write final: {{{}: …}}", key->second));
  }
}

/// Fresh weights need a rival. The winner of a race has one anyway.
void check_rivals(const Json& final, Faults& faults) {
  const Json compared = final.value("compare", Json()), start = final.value("warm_start", Json());
  const bool is_fresh = start.is_object() && start.value("policy", Json()) == "none";
  if (!is_fresh || !compared.is_array() || final.value("of", Json()).is_string()) return;
  if (std::all_of(compared.begin(), compared.end(), [](const Json& arm) { return arm == "kaiming"; }))
    faults.at("final.compare", "fresh weights have no rival here", "add kaiming_longer or a policy");
}

/// Comparisons and races of a program have parameters of their own, beside those of its space.
void check_names(const Json& study, Faults& faults) {
  const Json &final = study["final"], start = final.value("warm_start", Json());
  const bool is_race = start.is_object() && start.value("policy", Json()) == "race";
  if ((!is_race && !final.value("compare", Json()).is_array()) || final.value("of", Json()).is_string()) return;
  if (!study.value("space", Json()).is_array()) return;
  for (const Json& parameter : study["space"]) {
    const Json name = parameter.value("name", Json());
    if (name == ablation::kVariant || name == ablation::kReplicate)
      faults.at_key(path_of(parameter),
                    fmt::format("'{}' is a parameter of every {}", name.get<std::string>(),
                                is_race ? "race for a final training" : "comparison of final trainings"),
                    "give it another name");
  }
}

/// The number is of a trial of this search, unless the study is a final training itself.
void check_trial_number(const Json& study, Faults& faults) {
  if (study["final"].value("of", Json()).is_string()) return;
  const Json limits = study.value("limits", Json()), wanted = study["final"].value("trial", Json());
  const Json trials = limits.is_object() ? limits.value("trials", Json()) : Json();
  if (trials.is_number_integer() && wanted.is_number_integer() && wanted >= trials)
    faults.at("final.trial", fmt::format("there is no trial {} in a search of {}", to_text(wanted), to_text(trials)),
              "trials count from 0");
}

}  // namespace

void check_name_after(const Json& study, const std::string& suffix, const std::string& what, Faults& faults) {
  const Json own = study.value("study", Json());
  if (!own.is_string() || faults.is_bad("study")) return;
  const std::string name = own.get<std::string>() + suffix;
  if (name.size() > kLongestName)
    faults.at("study", fmt::format("{} name '{}' is no name for a study", what, name),
              fmt::format("it has {} characters, {} are allowed", name.size(), kLongestName));
}

void check_final(Json& study, const document::Node* written, Faults& faults) {
  if (written == nullptr || !written->is_map() || !study["final"].is_object()) {
    study.erase("final");
    return;
  }
  Json& final = study["final"];
  const Json kind = study["trial"].is_object() ? study["trial"]["kind"] : Json("train");
  const bool is_program = trial::runs_program(kind.get<std::string>());
  if (kind != "train" && !is_program)
    return faults.at_key("final", "only trials that train have weights to begin with", "remove it");
  if (final["warm_start"].is_object() && !faults.is_bad("final.warm_start")) {
    if (is_program) {
      check_program(final["warm_start"], faults);
    } else {
      refuse_unused(final["warm_start"], "final.warm_start", faults, takers_of(final));
    }
    check_warm_race(study, faults);
    check_reading(final["warm_start"]["from"], faults);
    check_rank_direction(study, faults);
  }
  check_arms(final, is_program ? kProgramPolicies : kTrainPolicies, faults);
  const bool is_race = final["warm_start"].is_object() && final["warm_start"]["policy"] == "race";
  if (!final.value("of", Json()).is_string())
    check_name_after(study, is_race ? "-final-race" : "-final", is_race ? "the race's" : "the final training's",
                     faults);
  check_trial_number(study, faults);
  check_sets(final, faults);
  check_rivals(final, faults);
  if (is_program) check_names(study, faults);
}

}  // namespace dlrun::spec
