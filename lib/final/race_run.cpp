// SPDX-License-Identifier: Apache-2.0
#include "final/race_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ablation/race.hpp"
#include "ablation/trial_difference.hpp"
#include "final/trial_study.hpp"
#include "report/trial_reader.hpp"
#include "storage/best_trials.hpp"
#include "storage/paths.hpp"
#include "storage/raced_winner.hpp"
#include "storage/reading.hpp"
#include "storage/store.hpp"
#include "trial/kinds.hpp"
#include "util/error.hpp"

namespace dlrun::final {

namespace {

std::unique_ptr<storage::Database> open(const std::filesystem::path& store, const std::string& study) {
  return storage::open_for_reading(storage::study_file(store, study, ".db"));
}

/// A candidate: its configuration differs from that of every better one.
struct Candidate {
  std::int64_t trial = 0;
  Json config;
};

bool is_known(const std::vector<Candidate>& all, const Json& config) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Candidate& one) { return ablation::differences(one.config, config).empty(); });
}

/// Values of the search's parameters that have no place: a program gets them by name. null: a parameter that is not
/// active.
Json given_params(const Json& space, const Json& params) {
  Json out = Json::object();
  for (const Json& parameter : space) {
    const auto name = parameter.at("name").get<std::string>();
    if (parameter.value("at", Json()).is_null()) out[name] = params.value(name, Json());
  }
  return out;
}

/// Configuration of a trial; of a program with its parameters.
Json config_of(const std::filesystem::path& store, const std::string& search, const Json& spec, trial::TrialId trial) {
  const report::TrialReader reader(store, {search, trial.value});
  Json config = reader.config();
  if (!trial::runs_program(config.at("kind").get<std::string>())) return config;
  Json params = given_params(spec.at("space"), reader.params());
  params.update(config.value("params", Json::object()));
  config["params"] = std::move(params);
  return config;
}

/// The best trials of different configurations.
std::vector<Candidate> candidates_of(const std::filesystem::path& store, const std::string& search, const Json& spec,
                                     std::size_t most) {
  std::vector<Candidate> out;
  for (const trial::TrialId trial :
       storage::candidates(*open(store, search), std::numeric_limits<std::size_t>::max())) {
    if (out.size() == most) break;
    Json config = config_of(store, search, spec, trial);
    if (!is_known(out, config)) out.push_back({trial.value, std::move(config)});
  }
  return out;
}

/// The places in which a candidate differs from the best one.
Json component(const Candidate& candidate, const Candidate& best) {
  Json sets = Json::object();
  for (const auto& [place, value] : ablation::differences(candidate.config, best.config)) sets[place] = value;
  return {{"id", ablation::contender_id(candidate.trial)}, {"set", sets}};
}

/// Seeds that no trial of the search ran on.
Json fresh_seeds(const Json& search, int count) {
  const auto of_trial = [&](const char* key) { return search.at("trial").value(key, std::int64_t(1)); };
  const std::int64_t taken = of_trial("first_replicate") + of_trial("replicates");
  Json seeds = Json::array();
  for (std::int64_t i = 0; i < count; ++i) seeds.push_back(taken + i);
  return seeds;
}

Json race_of(const Json& search, const std::string& name, const std::vector<Candidate>& all,
             const spec::Winner& winner) {
  Json race = {{"components", Json::array()},
               {"from", fmt::format("{}/{}", name, all.front().trial)},
               {"design", "race"},
               {"replicates", {{"seeds", fresh_seeds(search, winner.seeds)}}}};
  for (std::size_t i = 1; i < all.size(); ++i) race["components"].push_back(component(all[i], all.front()));
  const auto most = int(all.size()) * winner.seeds;
  if (winner.budget && *winner.budget < most) race["race"] = {{"budget", *winner.budget}};
  return race;
}

/// The split in which as many rows train as in one of the folds.
void drop_folds(Json& split, int folds) {
  split.erase("folds");
  const double rest = 1 - split.value("test", 0.0), val = rest / folds;
  split["val"] = val;
  split["train"] = rest - val;
}

/// Each run is judged on one split; the race draws its own folds. A program's folds are its own: every run has all.
void drop_members(Json& trial) {
  const int folds = trial.value("folds", 1);
  for (const char* key : {"replicates", "first_replicate"}) trial.erase(key);
  if (trial::runs_program(trial.value("kind", "train"))) return;
  trial.erase("folds");
  if (folds > 1) drop_folds(trial["data"]["split"], folds);
}

/// The study of the best trial, in which nothing is searched.
Json study_of(const std::filesystem::path& store, const std::string& search, const Candidate& best,
              const std::string& name) {
  Json study = trial_study_json(store, search, best.trial, name);
  for (const char* key : {"space", "search", "limits", "keep"}) study.erase(key);
  drop_members(study["trial"]);
  const Json params = best.config.value("params", Json());
  if (params.is_object() && !params.empty()) study["trial"]["params"] = params;
  return study;
}

}  // namespace

std::string race_name(const std::filesystem::path& store, const std::string& search) {
  const std::int64_t before = storage::races_of(*open(store, search));
  return before == 0 ? search + "-winner" : fmt::format("{}-winner-{}", search, before + 1);
}

std::optional<RaceRun> plan_race(const std::filesystem::path& store, const std::string& search,
                                 const spec::Winner& winner) {
  if (storage::raced_winner(*open(store, search))) return std::nullopt;
  const Json spec = storage::Store::find(store, search).value().spec;
  const std::vector<Candidate> all = candidates_of(store, search, spec, std::size_t(winner.candidates));
  if (all.size() < 2)
    throw Error(ErrorKind::usage,
                fmt::format("'{}' has {}, so there is no race for its winner", search,
                            all.empty() ? "no trial with a result" : "results of one configuration alone"),
                "more trials, or remove `winner`");
  RaceRun out;
  out.study = study_of(store, search, all.front(), race_name(store, search));
  out.study["ablation"] = race_of(spec, search, all, winner);
  out.study["winner"] = {{"of", search}};
  for (const Candidate& one : all) out.candidates.push_back(one.trial);
  return out;
}

}  // namespace dlrun::final
