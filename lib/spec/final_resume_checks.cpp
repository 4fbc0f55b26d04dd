// SPDX-License-Identifier: Apache-2.0
// Checks of final trainings that go on with a trial of the search as if it had never stopped (E406), as far as the
// file tells that every trial would be refused.
#include <algorithm>

#include <fmt/format.h>

#include "spec/resumed_settings.hpp"
#include "spec/trial_section.hpp"
#include "trial/runner.hpp"
#include "warmstart/race.hpp"

namespace dlrun::spec {

namespace {

bool contains(const Json& list, const Json& value) {
  return list.is_array() && std::find(list.begin(), list.end(), value) != list.end();
}

/// One of the places lies in the other, or they are the same.
bool overlap(const std::string& one, const std::string& other) {
  return (one + ".").starts_with(other + ".") || (other + ".").starts_with(one + ".");
}

class FinalResumeCheck {
 public:
  FinalResumeCheck(const Json& study, Faults& faults)
      : trial_(study.at("trial")),
        space_(study.at("space")),
        final_(study.at("final")),
        start_(final_.value("warm_start", Json()).is_object() ? final_["warm_start"] : Json::object()),
        faults_(faults) {}

  void check() {
    const std::string place = place_of_resume();
    const Json from = start_.value("from", Json());
    const bool is_other = from.is_object() && from.value("study", Json()).is_string();
    if (place.empty() || is_other) return;  // the plan knows the trials of another study
    check_horizon(place);
    check_beginning(place);
    check_sets();
  }

 private:
  /// Where a start is asked for that has to be exact; empty: there is none.
  std::string place_of_resume() const {
    const bool is_free = start_.value("allow_superset", Json()) == true;  // said of the policy and the race's arm
    const auto race = warmstart::race_of(start_);
    const bool is_policy = start_.value("policy", Json()) == "resume";
    if (is_policy && !is_free) return "final.warm_start.policy";
    const bool is_arm = race && std::find(race->arms.begin(), race->arms.end(), "resume") != race->arms.end();
    if (is_arm && !is_free) return "final.warm_start.race.arms";
    return !is_policy && contains(final_.value("compare", Json()), "resume") ? "final.compare" : "";
  }

  bool is_searched(const std::string& place) const {
    return std::any_of(space_.begin(), space_.end(), [&](const Json& parameter) {
      const Json at = parameter.value("at", Json());
      return at.is_string() && overlap(at.get<std::string>(), place);
    });
  }

  void check_horizon(const std::string& place) {
    const Json horizon = trial_.value("horizon", Json()), asked = final_.value("epochs", Json());
    const Json spanned = horizon.is_number() ? horizon : trial_.at("epochs");
    if (!asked.is_number() || asked == spanned || is_searched("epochs") || is_searched("horizon")) return;
    refuse(
        faults_.was_written("final.epochs") ? "final.epochs" : place,
        fmt::format("whose schedule spans {} epochs, but the final training has {}", to_text(spanned), to_text(asked)),
        fmt::format("trial: {{horizon: {}}} lets trials follow the beginning of its schedule", to_text(asked)));
  }

  void check_beginning(const std::string& place) {
    const char* key = beginning_of(trial_);
    if (key != nullptr && !is_searched(key))
      refuse(place, fmt::format("which began with the weights of '{}', and the final training does not", key),
             "best begins with its weights");
  }

  /// A place that is searched may have the value in the very trial that goes on.
  void check_sets() {
    const Json sets = final_.value("set", Json::object());
    if (!sets.is_object()) return;
    for (const auto& [at, value] : sets.items()) {
      const std::string section =
          is_searched(at) ? "" : changed_section(trial_, trial::configured(trial_, {{at, value}}));
      if (!section.empty())
        refuse("final.set." + at, fmt::format("whose '{}' differs from the final training's", section),
               "set nothing there; best takes the weights alone");
    }
  }

  void refuse(const std::string& place, const std::string& why, const std::string& help) {
    faults_.at(place, "E406: 'resume' goes on with a trial of the search, " + why,
               help + ", or allow_superset: true of policy: resume goes on all the same");
  }

  const Json &trial_, &space_, &final_;
  const Json start_;
  Faults& faults_;
};

}  // namespace

void check_final_resume(const Json& study, Faults& faults) {
  if (faults.list.has_errors() || !study.value("final", Json()).is_object()) return;
  if (study["final"].value("of", Json()).is_string() || study["trial"]["kind"] != "train") return;
  FinalResumeCheck(study, faults).check();
}

}  // namespace dlrun::spec
