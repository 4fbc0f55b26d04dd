// SPDX-License-Identifier: Apache-2.0
#include "final/trial_study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ablation/cells.hpp"
#include "ablation/plan_json.hpp"
#include "document/emit.hpp"
#include "final/command_of_trial.hpp"
#include "report/report.hpp"
#include "report/trial_reader.hpp"
#include "spec/concise.hpp"
#include "storage/paths.hpp"
#include "storage/store.hpp"
#include "trial/kinds.hpp"
#include "util/error.hpp"

namespace dlrun::final {

namespace {

/// Whether the trial says by itself which cell of an ablation it is: by its edits, and by the number of its replicate.
/// Trials other than programs keep the latter as a parameter if there is no other.
bool is_said_by_trial(const std::string& name, const Json& params, bool is_program) {
  if (!ablation::is_cell(name)) return false;
  const bool is_last = params.size() == 2 + std::size_t(params.contains(ablation::kPurpose));
  return is_program || name != ablation::kReplicate || !is_last;
}

/// The active parameters as constants, in their order and at their places: they say what was found. REQUIRES: `space`
/// is of a normal form, a list.
Json constants(const TrialParameters& of, bool is_program) {
  Json out = Json::array();
  for (const Json& parameter : of.space) {
    const auto name = parameter.at("name").get<std::string>();
    const auto value = of.params.find(name);
    if (value == of.params.end() || (of.has_cells && is_said_by_trial(name, of.params, is_program))) continue;
    out.push_back({{"name", name}, {"type", "constant"}, {"value", *value}});
    if (parameter.contains("at")) out.back()["at"] = parameter["at"];
  }
  return out;
}

/// The checkpoint that every variant of this replicate begins with; no rows: the trial is the baseline's.
constexpr const char* kStart =
    "select a.trial, a.sha256 from artifacts a join params v on v.trial = a.trial and v.name = 'variant' join params r "
    "on r.trial = a.trial and r.name = 'replicate' where a.role = 'last' and v.value = 'baseline' and r.value = "
    "(select "
    "value from params where trial = {0} and name = 'replicate') and (select value from params where trial = {0} and "
    "name = 'variant') <> 'baseline' order by a.trial, a.piece desc, a.step desc, a.attempt limit 1";

/// How the study of a trial repeats it, or that it does not: an heir began with its donor's checkpoint.
std::string use_text(const report::TrialReader& reader) {
  const report::Table facts = reader.facts();
  const auto donor =
      std::find_if(facts.rows.begin(), facts.rows.end(), [](const auto& row) { return row[0] == "donor"; });
  if (donor == facts.rows.end()) return "Run it alone with `dlrun tune`.";
  return fmt::format(
      "It began with the checkpoint of trial {}.\n# This study begins without it and measures other values; `dlrun "
      "reproduce {}` repeats the trial.",
      to_text((*donor)[1]), reader.name());
}

std::string heading(const std::filesystem::path& store, const std::string& study, std::int64_t trial) {
  const report::Table row =
      report::sql(store, {study}, fmt::format("select state, objective, epochs from trials where trial = {}", trial),
                  report::kOwnSql);
  const Json& objective = row.rows.at(0).at(1);
  return fmt::format("# Trial {}/{}: {}, objective {}. {}\n", study, trial, row.rows[0][0].get<std::string>(),
                     objective.is_null() ? "unknown" : to_text(objective),
                     use_text(report::TrialReader(store, {study, trial})));
}

/// An ablation has replicates of its own.
void drop_search(Json& whole) {
  for (const char* key : {"search", "limits", "keep", "feasible"}) whole.erase(key);
  for (const char* key : {"replicates", "first_replicate"}) whole["trial"].erase(key);
}

/// Removes sections that change nothing for such trials and are refused there.
void drop_idle(Json& whole) {
  const std::string kind = whole["trial"].value("kind", "");
  if (kind == "function" || kind == "asked") whole.erase("keep");
  if (kind != "asked") return;
  for (const char* key : {"executor", "determinism", "retry"}) whole.erase(key);
}

/// Removes nulls from a section, but not those inside its member `kept`: a key without a default means null anyway.
void drop_nulls(Json& value, const std::string& kept = "") {
  if (value.is_object()) {
    for (auto member = value.begin(); member != value.end();) {
      member = member->is_null() ? value.erase(member) : std::next(member);
    }
  }
  if (value.is_structured()) {
    for (auto& [name, inner] : value.items()) {
      if (name != kept) drop_nulls(inner);
    }
  }
}

}  // namespace

Json concise_trial(const Json& config) {
  Json trial = spec::concise_section("trial", config);
  drop_nulls(trial, "params");  // a command may name a parameter that is null
  return trial;
}

void drop_late_epochs(Json& study, std::int64_t epochs) {
  if (!study.value("keep", Json()).is_object() || !study["keep"].contains("epochs")) return;
  Json& kept = study["keep"]["epochs"];
  kept.erase(std::remove_if(kept.begin(), kept.end(), [&](const Json& epoch) { return epoch > epochs; }), kept.end());
  if (kept.empty()) study["keep"].erase("epochs");
}

std::string default_study(const std::filesystem::path& store, const std::string& study, std::int64_t trial) {
  Json whole = storage::Store::find(store, study).value().spec;
  Json coordinates = Json::array();
  const Json params = report::TrialReader(store, {study, trial}).params();
  for (const Json& one : constants({whole.at("space"), params, false}, false)) {
    if (!one.contains("at") || one["at"].is_null()) coordinates.push_back(one);
  }
  whole["space"] = coordinates;
  whole["trial"] = concise_trial(whole.at("trial"));
  for (const char* key : {"derived", "ablation", "resources", "winner", "final", "constraints"}) whole.erase(key);
  if (coordinates.empty()) whole.erase("space");
  drop_search(whole);
  drop_nulls(whole, "trial");
  return document::to_yaml(whole);
}

Json start_of(const std::filesystem::path& store, const std::string& study, std::int64_t trial, const Json& whole) {
  const auto plan = ablation::plan_of(whole);
  if (!plan || !plan->section.starts_from_baseline()) return nullptr;
  const report::Table start = report::sql(store, {study}, fmt::format(kStart, trial), report::kOwnSql);
  if (start.rows.empty()) return nullptr;
  if (whole.at("trial").value("folds", 1) > 1)
    throw Error(ErrorKind::usage, "each fold of this trial began with other weights, those of the baseline's fold",
                "without --yaml its facts are shown");
  const std::string sha256 = start.rows[0][1].get<std::string>();
  const auto file = storage::checkpoint_file(std::filesystem::absolute(store), sha256);
  return {{"from", file.string()}, {"sha256", sha256}, {"strict", false}};
}

Json trial_study_json(const std::filesystem::path& store, const std::string& study, std::int64_t trial,
                      const std::string& name) {
  Json whole = storage::Store::find(store, study).value().spec;
  whole["study"] = name.empty() ? fmt::format("{}-trial-{}", study, trial) : name;
  const report::TrialReader reader(store, {study, trial});
  const Json space = whole.at("space"), params = reader.params();
  const TrialParameters parameters{space, params, ablation::plan_of(whole).has_value()};
  whole["space"] = constants(parameters, trial::runs_program(whole.at("trial").at("kind").get<std::string>()));
  const Json start = start_of(store, study, trial, whole);
  whole["trial"] = concise_trial(reader.config());
  settle_command(whole["trial"], parameters);
  if (!start.is_null()) whole["trial"]["init"] = start;
  whole["resources"] = spec::concise_section("resources", whole.at("resources"));
  if (whole["resources"].empty()) whole.erase("resources");
  whole["limits"] = {{"trials", 1}};
  // Constants have no constraints to obey.
  for (const char* key : {"derived", "ablation", "winner", "final", "constraints"}) whole.erase(key);
  whole["search"] = {{"sampler", "random"}};
  drop_idle(whole);
  if (!name.empty()) drop_search(whole);
  drop_nulls(whole, "trial");
  return whole;
}

std::string trial_study(const std::filesystem::path& store, const std::string& study, std::int64_t trial,
                        const std::string& name) {
  return heading(store, study, trial) + document::to_yaml(trial_study_json(store, study, trial, name));
}

}  // namespace dlrun::final
