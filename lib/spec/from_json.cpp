// SPDX-License-Identifier: Apache-2.0
// The normal form as the values the driver works with.
#include <fmt/format.h>

#include <algorithm>

#include "ablation/analysis.hpp"
#include "ablation/cells.hpp"
#include "ablation/plan_json.hpp"
#include "ablation/race.hpp"
#include "ablation/rounds.hpp"
#include "dataset/schema_json.hpp"
#include "space/asked.hpp"
#include "spec/executor_section.hpp"
#include "spec/gang_processes.hpp"
#include "spec/lanes.hpp"
#include "spec/normal.hpp"
#include "spec/plugins_used.hpp"
#include "spec/pruner_section.hpp"
#include "spec/rules.hpp"
#include "spec/sampler_section.hpp"
#include "spec/space_section.hpp"
#include "spec/study_fields.hpp"
#include "spec/study_spec.hpp"
#include "spec/trial_section.hpp"
#include "study/objective.hpp"
#include "trial/kinds.hpp"
#include "util/error.hpp"

namespace dlrun::spec {

namespace {

template <class Value>
std::optional<Value> optional(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<Value>(json.get<Value>());
}

study::Objective objective_of(const Json& json) {
  return {json.at("metric").get<std::string>(), json.at("direction") == "maximize", json.at("at") == "best"};
}

void take_objectives(const Json& json, study::Rules& rules) {
  const Json& objective = json.at("objective");
  const Json list = objective.is_array() ? objective : Json::array({objective});
  rules.objective = objective_of(list.at(0));
  for (std::size_t i = 1; i < list.size(); ++i) rules.further.push_back(objective_of(list[i]));
  if (!json.contains("feasible")) return;
  for (const Json& bound : json["feasible"]) {
    const auto metric = bound.at("metric").get<std::string>();
    if (const auto most = optional<double>(bound.at("max"))) rules.bounds.push_back({metric, *most, true});
    if (const auto least = optional<double>(bound.at("min"))) rules.bounds.push_back({metric, *least, false});
  }
}

/// Epochs of a trial, or of the longest variant if an ablation sets them; shorter ones end by themselves.
std::int64_t most_epochs(const Json& json, const std::optional<ablation::Plan>& plan) {
  auto most = json.at("trial").at("epochs").get<std::int64_t>();
  const auto kind = json["trial"].at("kind").get<std::string>();
  if (!plan || (kind != "train" && !trial::runs_program(kind))) return most;
  for (const ablation::Variant& variant : plan->variants) most = std::max(most, variant.edits.value("epochs", most));
  return most;
}

study::Rules rules_of(const Json& json, const std::optional<ablation::Plan>& plan) {
  study::Rules rules;
  rules.seed = json.at("seed").get<std::uint64_t>();
  const Json& lanes = json.at("search").at("lanes");
  rules.lanes = has_auto_lanes(json) ? 1 : lanes.get<int>();  // open until the study is created
  rules.arrival = json.at("search").at("order") == "arrival";
  take_objectives(json, rules);
  Json retries = json.at("retry");
  for (const char* key : kWhenAndWhere) retries.erase(key);
  for (const auto& [cause, times] : retries.items()) rules.retries[trial::cause(cause)] = times.get<int>();
  rules.members.replicates = json.at("trial").value("replicates", 1);
  rules.members.folds = json.at("trial").value("folds", 1);
  rules.epochs = most_epochs(json, plan);
  return rules;
}

pruners::PrunerOptions pruner_of(const Json& json, const StudySpec& spec) {
  const study::Rules& rules = spec.rules;
  pruners::PrunerOptions out{.kind = read_pruner(json),
                             .study = {.seed = spec.seed,
                                       .by_score = !rules.further.empty() || !rules.bounds.empty(),
                                       .maximize = rules.objective.maximize,
                                       .members = rules.members.count()}};
  pruners::set_max_budget(out.kind, rules.epochs);
  return out;
}

/// Explorer of a population's heirs.
samplers::ExplorerOptions explorer_of(const pruners::PrunerKind& kind) {
  if (std::holds_alternative<pruners::Pb2>(kind)) return {.op = "pb2"};
  const auto* pbt = std::get_if<pruners::Pbt>(&kind);
  if (!pbt) return {};
  return {.op = "pbt", .low_factor = pbt->factors[0], .high_factor = pbt->factors[1], .resample = pbt->resample};
}

/// A program may do more than measure, so it is not run twice unless somebody says so; nor is what measures something
/// else each time, as ranks do that race.
std::optional<Speculation> speculation_of(const Json& speculate, const StudySpec& spec) {
  const Json& trial = spec.json.at("trial");
  const bool is_repeatable =
      !trial::runs_program(trial.at("kind").get<std::string>()) && trial.value("deterministic", true) && repeats(spec);
  if (speculate == "false" || (speculate == "auto" && !is_repeatable)) return std::nullopt;
  Speculation out;
  if (speculate.is_object()) options::read_fields(speculate, speculation_fields(), "resources.speculate", out);
  return out;
}

void take_resources(const Json& json, StudySpec& spec) {
  const Json& resources = json.at("resources");
  options::read_fields(resources, resource_fields(), "resources", spec);
  if (runs_elsewhere(json)) spec.parked = 0;
  spec.speculation = speculation_of(resources.value("speculate", Json("auto")), spec);
  spec.log_bytes = resources.value("log_mb", std::int64_t(64)) * 1'000'000;
  spec.memory_bytes = optional<std::int64_t>(resources.value("memory_mb", Json())).value_or(0) * 1'000'000;
  spec.determinism = json.at("determinism") == "portable" ? "portable" : "";
}

/// The test split waits for the winner.
void take_winner(const Json& json, StudySpec& spec) {
  const Json winner = json.value("winner", Json());
  if (!winner.is_object()) return;
  options::read_fields(winner, winner_fields(), "winner", spec.winner.emplace());
  spec.rules.test_best &= spec.winner->of.has_value();
}

/// Data and model of the base configuration; kind train only.
void take_training(const Json& json, StudySpec& spec) {
  spec.data = dataset::schema_from_json(json.at("derived").at("data"));
  spec.base_model = model::build(json.at("trial").at("model"), interface_of(*spec.data, json.at("trial")));
  spec.rules.test_best = spec.data->test > 0;
  spec.rules.test_all = spec.ablation && spec.ablation->section.tested == "all";
}

/// Slack and stride of the lanes; studies that know nothing of a stride begin all lanes at once.
void take_clock(const Json& search, StudySpec& spec) {
  const auto pruner = pruners::make_pruner(spec.pruner);
  std::vector<std::int64_t> rungs = pruner->rungs();
  if (rungs.empty()) rungs = {spec.rules.epochs};  // without decisions inside it, a trial is one piece
  const auto mean_pieces = [&](double n) { return slack_ticks(n, rungs, pruner->shares(), base_epoch(spec)); };
  spec.rules.slack = mean_pieces(search.at("slack").get<double>());
  if (search.value("stagger", false)) spec.rules.stride = mean_pieces(1) / spec.rules.lanes;
}

/// Cells of variants that get replicates while their answers are open, begin after the baseline, or are tuned first.
void take_looks(StudySpec& spec) {
  const ablation::Section& section = spec.ablation->section;
  if (!section.stopping && !section.starts_from_baseline() && !section.retune) return;
  const auto family = int(spec.ablation->variants.size()) - 1;
  auto analysis = ablation::analysis_options(*spec.ablation, spec.json, spec.rules.objective.maximize);
  if (analysis.looks.at.empty()) analysis.looks.at = {section.replicates.n};
  const auto parameter = [&](const char* name) { return spec.space.find(name).value(); };
  spec.cells = {parameter(ablation::kReplicate), parameter(ablation::kVariant),
                statistics::sequential_rules(analysis, std::max(1, family)), section.starts_from_baseline()};
  if (section.retune)
    spec.retune = {parameter(ablation::kPurpose),
                   parameter(ablation::kTuning),
                   section.retune->trials,
                   section.retune->sampler,
                   *spec.cells,
                   spec.ablation->has_own_seeds};
}

/// Rounds whose results decide which variants the next one trains.
void take_rounds(StudySpec& spec) {
  if (!spec.ablation->has_rounds()) return;
  const auto replicate = spec.space.find(ablation::kReplicate), variant = spec.space.find(ablation::kVariant);
  const std::vector<Json>& ids = spec.space.parameters().at(variant.value()).choices;
  const auto number = [&](const std::string& id) -> std::optional<std::size_t> {
    const auto found = std::find(ids.begin(), ids.end(), Json(id));
    return found == ids.end() ? std::nullopt : std::optional(std::size_t(found - ids.begin()));
  };
  spec.rounds = {replicate.value(), *variant,
                 ablation::stepwise_rules(*spec.ablation, spec.rules.objective.maximize, number)};
}

/// A race, whose results decide which variants go on.
void take_race(StudySpec& spec) {
  if (!spec.ablation->section.is_race()) return;
  spec.race = {spec.space.find(ablation::kReplicate).value(), spec.space.find(ablation::kVariant).value(),
               ablation::race_rules(*spec.ablation, spec.rules.objective.maximize)};
}

/// The space of a study; an ablation's with the edits of its variants.
space::Space space_of(const StudySpec& spec) {
  space::Space plain = make_space(spec.json.at("space"), spec.json.value("constraints", Json()));
  return spec.ablation ? ablation::with_edits(plain, *spec.ablation, spec.seed) : plain;
}

StudySpec build(const Json& json, const std::string& text) {
  StudySpec spec;
  spec.name = json.at("study").get<std::string>();
  spec.text = text;
  spec.json = json;
  spec.hash = hash_of(json);
  spec.seed = json.at("seed").get<std::uint64_t>();
  spec.ablation = ablation::plan_of(json);
  spec.rules = rules_of(json, spec.ablation);
  spec.space = space_of(spec);
  for (const Json& asked : json.at("search").value("enqueue", Json::array())) {
    spec.rules.enqueue.push_back(space::asked_from_json(spec.space, asked));
  }
  spec.sampler = sampler_name(json.at("search"));
  if (json["search"].at("sampler").is_object()) spec.sampler_options = json["search"]["sampler"];
  spec.learn_from = json["search"].value("learn_from", spec.learn_from);
  spec.pruner = pruner_of(json.at("search").at("pruner"), spec);
  if (is_foreign(json["search"]["pruner"])) spec.pruner_options = json["search"]["pruner"];
  spec.rules.explorer = explorer_of(spec.pruner.kind);
  spec.kind = json.at("trial").at("kind").get<std::string>();
  if (spec.ablation) take_looks(spec);
  if (spec.ablation) take_rounds(spec);
  if (spec.ablation) take_race(spec);
  options::read_fields(json.at("limits"), limit_fields(), "limits", spec);
  options::read_fields(json.at("retry"), retry_delay_fields(), "retry", spec.retry_delay);
  options::read_fields(json.at("keep"), keep_fields(), "keep", spec.keep);
  take_resources(json, spec);
  take_executor(json, spec);
  if (spec.kind == "train") take_training(json, spec);
  take_winner(json, spec);
  spec.rules.cost = make_cost(spec);
  take_clock(json.at("search"), spec);
  return spec;
}

}  // namespace

StudySpec from_json(const Json& json, const std::string& text) {
  try {
    return build(json, text);
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::store, fmt::format("the stored spec of a study cannot be read: {}", fault.what()));
  }
}

trial::WorkSetup work_setup(const StudySpec& spec, const std::filesystem::path& artifacts) {
  trial::WorkSetup setup;
  setup.study = spec.name;
  setup.trial = spec.json["trial"];
  setup.parameters = Json::object();
  const bool hides_cells = spec.ablation && trial::runs_program(spec.kind);
  for (const space::Parameter& parameter : spec.space.parameters()) {
    if (!hides_cells || !ablation::is_cell(parameter.name)) setup.parameters[parameter.name] = parameter.at;
  }
  setup.metric = spec.rules.objective.metric;
  setup.needed = study::needed_metrics(spec.rules);
  if (spec.ablation) setup.values = spec.ablation->section.analysis.kept_metric();
  setup.maximize = spec.rules.objective.maximize;
  setup.parked = spec.parked.value_or(-1);
  setup.parked_bytes = std::int64_t(spec.parked_mb.value_or(0)) * 1'000'000;
  setup.keep_best = spec.rules.objective.at_best;
  setup.keep_epochs = spec.keep.epochs;
  setup.threads = spec.threads_per_trial;
  setup.devices = spec.devices.value_or(1);
  setup.device = spec.device;
  setup.gpu_share = spec.gpu_share;
  setup.gpus = spec.gpus.value_or(0);
  setup.nodes = spec.nodes;
  setup.determinism = spec.determinism;
  setup.artifacts = artifacts.string();
  setup.time_limit = spec.trial_time_limit;
  setup.hang_limit = spec.hang_seconds;
  setup.silence_limit = spec.silence_seconds;
  setup.log_bytes = spec.log_bytes;
  setup.memory_bytes = spec.memory_bytes;
  if (spec.data) setup.data_sha256 = spec.data->sha256;
  setup.plugins = plugins_of_workers(spec.json);
  return setup;
}

}  // namespace dlrun::spec
