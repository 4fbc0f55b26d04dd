// SPDX-License-Identifier: Apache-2.0
// `final.warm_start.race`: the arms of a race for the start of a final training.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "spec/warm_checks.hpp"
#include "trial/kinds.hpp"
#include "warmstart/race.hpp"

namespace dlrun::spec {

namespace {

constexpr const char *kWarmPlace = "final.warm_start", *kArmsPlace = "final.warm_start.race.arms";
const std::vector<std::string> kProgramArms{"none", "best"};

class WarmRaceCheck {
 public:
  WarmRaceCheck(const Json& study, Faults& faults)
      : study_(study),
        final_(study.at("final")),
        race_(*warmstart::race_of(final_.at("warm_start"))),
        trial_(study.value("trial", Json()).is_object() ? study.at("trial") : Json::object()),
        faults_(faults) {}

  void check() {
    check_objective();
    if (faults_.is_bad(kArmsPlace)) return;
    check_names();
    if (!race_.arms.empty() || faults_.was_written(kArmsPlace)) check_arms();
    check_mixing();
    check_epochs();
    check_written();
  }

 private:
  void check_objective() {
    const Json objective = study_.value("objective", Json());
    if (objective.is_array() && objective.size() > 1)
      faults_.at(join(kWarmPlace, "policy"), "a race is judged by one objective, and this study has several",
                 "name the policy");
  }

  void check_names() {
    const bool is_program = trial::runs_program(trial_.value("kind", std::string("train")));
    const std::vector<std::string> known = is_program ? kProgramArms : warmstart::race_arms();
    std::set<std::string> seen;
    for (std::size_t i = 0; i < race_.arms.size(); ++i) {
      const std::string &arm = race_.arms[i], at = fmt::format("{}.{}", kArmsPlace, i);
      if (std::find(known.begin(), known.end(), arm) == known.end())
        faults_.at(at, fmt::format("there is no start '{}' to race", arm), suggest(arm, known));
      if (!seen.insert(arm).second) faults_.at(at, fmt::format("'{}' is named twice", arm), "name each once");
    }
  }

  void check_arms() {
    const std::size_t count = race_.arms.size();
    if (count > warmstart::kMostArms)
      faults_.at(kArmsPlace, fmt::format("a race has {} arms at most, not {}", warmstart::kMostArms, count),
                 "each arm costs a short training; `compare:` trains more rivals");
    if (std::find(race_.arms.begin(), race_.arms.end(), "none") == race_.arms.end())
      faults_.at(kArmsPlace, "fresh weights are not among the arms, so nothing would tell a bad start", "add none");
    else if (count < 2)
      faults_.at(kArmsPlace, "fresh weights alone are no race", "add a policy, or write policy: none");
  }

  void check_mixing() {
    const Json& start = final_.at("warm_start");
    const bool mixes = race_.arms.empty() || std::any_of(race_.arms.begin(), race_.arms.end(), warmstart::mixes);
    for (const char* key : {"lambda", "sigma"}) {
      if (!mixes && is_meant(start, kWarmPlace, key, faults_))
        faults_.at_key(join(kWarmPlace, key), fmt::format("no arm of the race makes use of '{}'", key), "remove it");
    }
  }

  /// Epochs of the final training; null: they are not known yet.
  Json whole() const {
    Json asked = final_.value("epochs", Json());
    if (asked.is_number()) return asked;
    const Json horizon = trial_.value("horizon", Json());
    return horizon.is_number() ? horizon : trial_.value("epochs", Json());
  }

  void check_epochs() {
    const Json all = whole();
    if (!race_.epochs || !all.is_number_integer() || *race_.epochs < all.get<std::int64_t>()) return;
    faults_.at("final.warm_start.race.epochs",
               fmt::format("an arm would train {} of {} epochs, which is no shorter than the final training",
                           *race_.epochs, to_text(all)),
               "leave it out: a quarter of them");
  }

  /// Facts of a race that is over are dlrun's to write.
  void check_written() {
    for (const char* key : {"decides", "sets", "study", "chose", "trained"}) {
      const std::string at = fmt::format("{}.race.{}", kWarmPlace, key);
      if (faults_.was_written(at)) faults_.at_key(at, "dlrun writes it, when the race is over", "remove it");
    }
  }

  const Json &study_, &final_;
  const warmstart::Race race_;
  const Json trial_;
  Faults& faults_;
};

}  // namespace

void check_warm_race(Json& study, Faults& faults) {
  Json& start = study["final"]["warm_start"];
  if (start["policy"] != "race") return void(start.erase("race"));
  if (!study["final"].value("of", Json()).is_string()) WarmRaceCheck(study, faults).check();
}

}  // namespace dlrun::spec
