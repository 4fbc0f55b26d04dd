// SPDX-License-Identifier: Apache-2.0
#include "spec/final_rehearsal.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ablation/baseline.hpp"
#include "dataset/schema_json.hpp"
#include "recipe/length.hpp"
#include "spec/study_checker.hpp"
#include "trial/runner.hpp"
#include "warmstart/race.hpp"
#include "warmstart/settings.hpp"

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

/// A value that the search may find; null: the parameter is of another kind.
Json some_value(const Json& parameter) {
  const Json choices = parameter.value("choices", Json());
  if (choices.is_array() && !choices.empty()) return choices.front();
  for (const char* key : {"value", "low"}) {
    if (parameter.contains(key) && !parameter[key].is_null()) return parameter[key];
  }
  return nullptr;
}

/// Kind of start, as far as it is known without a donor.
struct Start {
  std::string place;  ///< where it is asked for
  Json section;       ///< `warm_start:` of the final training

  bool is_plain() const { return section["policy"] == "best" && !section.contains("optimizer"); }
};

/// The final training, made of the written study and checked as any other.
class Rehearsal {
 public:
  Rehearsal(const Json& study, const Node& root, const Source& source, Faults& faults)
      : study_(study),
        final_(study["final"]),
        source_(source),
        checker_(source_),
        faults_(faults),
        trial_(study["trial"]),
        alone_(ablation::without_search(root, left_out_)),
        race_(warmstart::race_of(final_.value("warm_start", Json()))),
        whole_(whole_epochs(study)) {
    source_.checkpoint = {};  // no donor is known yet
    std::erase_if(alone_.entries, [](const document::Entry& entry) {
      return entry.key == "final" || entry.key == "space" || entry.key == "winner" || entry.key == "keep";
    });
    const Json written = final_.value("set", Json());
    if (written.is_object()) sets_ = written;
    if (whole_ && study["trial"]["epochs"] != *whole_) sets_["epochs"] = *whole_;
  }

  void run() {
    const std::vector<Start> all = starts();
    const bool is_plain = std::all_of(all.begin(), all.end(), [](const Start& start) { return start.is_plain(); });
    if ((sets_.empty() && !race_ && is_plain) || !has_base()) return;
    if (const auto fault = fault_with(sets_)) return refuse(*fault, sets_, "final");
    for (const Start& start : all) {
      if (faults_.list.has_errors()) return;
      rehearse(start);
    }
    rehearse_arm();
  }

  /// Data that the settings make of the search's; nullopt: those of the search, or not known.
  std::optional<dataset::Schema> data() {
    const auto items = sets_.items();
    const bool is_other =
        std::any_of(items.begin(), items.end(), [](const auto& item) { return item.key().starts_with("data"); });
    if (!is_other || study_["trial"]["kind"] != "train" || !has_base()) return std::nullopt;
    Faults found;
    try {
      const Json checked = study_with(sets_, 0, found);
      if (ablation::first_fault(found) != nullptr) return std::nullopt;
      return dataset::schema_from_json(checked.at("derived").at("data"));
    } catch (const Error&) {
      return std::nullopt;  // run() reports it
    }
  }

 private:
  // ---- trials

  /// Looks for a trial of the search that has no fault: the written one, else one with a value of each parameter.
  bool has_base() {
    if (!fault_with(Json::object())) return true;
    Json values = Json::object(), constants = Json::array();
    for (const Json& parameter : study_["space"]) {
      const Json at = parameter.value("at", Json()), value = some_value(parameter);
      if (at.is_string()) values[at.get<std::string>()] = value;
      if (!at.is_string()) constants.push_back({{"name", parameter["name"]}, {"type", "constant"}, {"value", value}});
    }
    if (!constants.empty()) alone_.entries.push_back({"space", alone_.span, ablation::node_at(constants, alone_.span)});
    try {
      trial_ = trial::configured(trial_, values);
    } catch (const Error&) {
      return false;
    }
    return !fault_with(Json::object());
  }

  /// Normal form of a study of the trial with these settings alone. @param arm  as of fault_with()
  Json study_with(const Json& sets, std::int64_t arm, Faults& found) const {
    Json trial = trial_;
    for (const char* key : {"horizon", "init", "warm_start", "replicates"}) trial.erase(key);
    trial = trial::configured(trial, sets);
    if (arm > 0) trial = recipe::lasting(checker_.concise(trial), arm);
    return checker_.check(ablation::with_trial(alone_, trial, checker_), found);
  }

  /// The first fault of the trial with these settings. @param arm  epochs to which it is shortened; 0: none
  std::optional<document::Diagnostic> fault_with(const Json& sets, std::int64_t arm = 0) const {
    Faults found;
    try {
      (void)study_with(sets, arm, found);
    } catch (const Error& fault) {
      return document::Diagnostic{{}, fault.what(), fault.hint(), {}, false};
    }
    const document::Diagnostic* fault = ablation::first_fault(found);
    return fault == nullptr ? std::nullopt : std::optional(*fault);
  }

  /// The first setting without which there is no fault, else the first that is a fault alone; empty: there is none.
  std::string culprit(const Json& sets) const {
    for (const auto& [place, value] : sets.items()) {
      Json others = sets;
      others.erase(place);
      if (place != "warm_start" && !fault_with(others)) return place;
    }
    for (const auto& [place, value] : sets.items()) {
      if (place != "warm_start" && fault_with({{place, value}})) return place;
    }
    return {};
  }

  /// @param at  where no setting is the reason
  void refuse(const document::Diagnostic& fault, const Json& sets, const std::string& at) {
    const std::string place = culprit(sets), written = "final.set." + place;
    const bool is_length = place == "epochs" && faults_.was_written("final.epochs");
    faults_.at(place.empty()                  ? at
               : faults_.was_written(written) ? written
               : is_length                    ? "final.epochs"
                                              : "final",
               "in the final training: " + fault.message, fault.help);
  }

  // ---- starts

  /// Each kind of start that is asked for, once.
  std::vector<Start> starts() const {
    std::vector<Start> out;
    if (study_["trial"]["kind"] != "train") return out;
    const Json start = final_.value("warm_start", Json());
    const std::string at = "final.warm_start.", named = faults_.was_written(at + "policy") ? at + "policy" : "final";
    if (!race_) add(out, named, start.is_object() ? start : Json::object());
    if (race_ && race_->arms.empty()) add(out, named, {{"policy", "best"}});
    for (std::size_t i = 0; race_ && i < race_->arms.size(); ++i)
      add(out, fmt::format("{}race.arms.{}", at, i), warmstart::settings_of(race_->arms[i]));
    const Json compared = final_.value("compare", Json());
    for (std::size_t i = 0; compared.is_array() && i < compared.size(); ++i)
      add(out, fmt::format("final.compare.{}", i), warmstart::settings_of(compared[i].get<std::string>()));
    return out;
  }

  void add(std::vector<Start>& out, const std::string& place, const Json& settings) const {
    const Json written = settings.value("policy", Json());
    const std::string policy = written.is_string() ? written.get<std::string>() : "best";
    if (policy.starts_with("kaiming") || !warmstart::takes_donors(policy)) return;
    Json section{{"policy", policy == "resume" ? "resume" : "best"}};
    if (policy != "resume" && settings.value("optimizer", Json()) == "carry") section["optimizer"] = "carry";
    section["donors"] = {{{"sha256", std::string(64, '0')}, {"epoch", 0}, {"horizon", whole_.value_or(1)}}};
    const auto is_there = [&](const Start& start) { return start.section == section; };
    if (std::none_of(out.begin(), out.end(), is_there)) out.push_back({place, std::move(section)});
  }

  void rehearse(const Start& start) {
    Json sets = sets_;
    sets["warm_start"] = start.section;
    if (const auto fault = fault_with(sets)) refuse(*fault, sets, start.place);
  }

  /// An arm of a race trains the same on a shorter schedule, for which some settings may be too long.
  void rehearse_arm() {
    if (!race_ || !whole_ || race_->arm_epochs(*whole_) >= *whole_ || study_["trial"]["kind"] != "train") return;
    const std::int64_t epochs = race_->arm_epochs(*whole_);
    Json sets = sets_;
    sets["epochs"] = *whole_;
    const auto fault = fault_with(sets, epochs);
    if (!fault || faults_.list.has_errors()) return;
    const std::string at = "final.warm_start.race.epochs";
    faults_.at(faults_.was_written(at) ? at : "final.warm_start.policy",
               fmt::format("in an arm of the race, which has {} epochs: {}", epochs, fault->message),
               "write more epochs as warm_start.race.epochs, or name the policy");
  }

  const Json& study_;
  const Json final_;
  Source source_;
  const StudyChecker checker_;
  Faults& faults_;
  Json trial_, sets_ = Json::object();
  std::vector<std::string> left_out_;
  Node alone_;  ///< the study of one trial
  const std::optional<warmstart::Race> race_;
  const std::optional<std::int64_t> whole_;
};

}  // namespace

void rehearse_final(const Json& study, const Node& root, const Source& source, Faults& faults) {
  const Json final = study.value("final", Json());
  if (faults.list.has_errors() || !final.is_object() || final.value("of", Json()).is_string()) return;
  check_donors_study(final, source, faults);
  Rehearsal(study, root, source, faults).run();
}

std::optional<dataset::Schema> final_schema(const Json& study, const Node& root, const Source& source) {
  const Json final = study.value("final", Json());
  Faults none;
  if (!final.is_object() || final.value("of", Json()).is_string()) return std::nullopt;
  return Rehearsal(study, root, source, none).data();
}

}  // namespace dlrun::spec
