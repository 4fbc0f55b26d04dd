// SPDX-License-Identifier: Apache-2.0
// The normal form as the values the driver works with.
#include <fmt/format.h>

#include <algorithm>

#include "ablation/analysis.hpp"
#include "ablation/rounds.hpp"
#include "dataset/schema_json.hpp"
#include "pruners/keys.hpp"
#include "space/asked.hpp"
#include "spec/ablation_section.hpp"
#include "spec/normal.hpp"
#include "spec/rules.hpp"
#include "spec/space_section.hpp"
#include "spec/study_spec.hpp"
#include "spec/trial_section.hpp"
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

/// Of a trial, or of the longest variant of an ablation that sets them; shorter ones end by themselves.
std::int64_t most_epochs(const Json& json) {
  auto most = json.at("trial").at("epochs").get<std::int64_t>();
  const Json derived = json.value("derived", Json::object()).value("ablation", Json());
  if (!derived.is_object() || json["trial"].at("kind") != "train") return most;
  for (const Json& variant : derived.at("variants")) most = std::max(most, variant["edits"].value("epochs", most));
  return most;
}

study::Rules rules_of(const Json& json) {
  const Json& limits = json.at("limits");
  study::Rules rules;
  rules.seed = json.at("seed").get<std::uint64_t>();
  rules.lanes = json.at("search").at("lanes").get<int>();
  rules.arrival = json.at("search").at("order") == "arrival";
  take_objectives(json, rules);
  rules.limits.trials = optional<std::int64_t>(limits.at("trials"));
  rules.limits.epochs = optional<std::int64_t>(limits.at("epochs"));
  rules.limits.target = optional<double>(limits.at("target"));
  rules.limits.improvement = optional<double>(limits.value("expected_improvement", Json()));
  rules.limits.stall = optional<std::int64_t>(limits.value("stall", Json()));
  Json retries = json.at("retry");
  for (const char* key : kWhenAndWhere) retries.erase(key);
  for (const auto& [cause, times] : retries.items()) rules.retries[trial::cause(cause)] = times.get<int>();
  rules.members.replicates = json.at("trial").value("replicates", 1);
  rules.members.folds = json.at("trial").value("folds", 1);
  rules.epochs = most_epochs(json);
  return rules;
}

pruners::PrunerOptions pruner_of(const Json& json, const StudySpec& spec) {
  const study::Rules& rules = spec.rules;
  pruners::PrunerOptions out{.kind = pruners::read_pruner(json),
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

void take_limits(const Json& json, StudySpec& spec) {
  const Json& limits = json.at("limits");
  spec.wall_seconds = optional<double>(limits.at("wall"));
  spec.gpu_hours = optional<double>(limits.value("gpu_hours", Json()));
  spec.trial_time_limit = optional<double>(limits.at("trial_wall")).value_or(0);
  spec.hang_seconds = limits.at("hang").get<double>();
  spec.failure_limit = optional<int>(limits.at("failures")).value_or(-1);
}

void take_retry_delay(const Json& json, StudySpec& spec) {
  const Json& retry = json.at("retry");
  spec.retry_delay = {retry.value("delay", spec.retry_delay.first), retry.value("max_delay", spec.retry_delay.most)};
}

/// A program may do more than measure, so it is not run twice unless somebody says so; nor is what measures something
/// else each time.
std::optional<Speculation> speculation_of(const Json& speculate, const Json& trial) {
  const bool is_repeatable = trial.at("kind") != "command" && trial.value("deterministic", true);
  if (speculate == "false" || (speculate == "auto" && !is_repeatable)) return std::nullopt;
  if (!speculate.is_object()) return Speculation{};
  return Speculation{speculate.at("factor").get<double>(), speculate.at("after").get<double>()};
}

void take_resources(const Json& json, StudySpec& spec) {
  const Json& resources = json.at("resources");
  spec.threads_per_trial = resources.at("threads_per_trial").get<int>();
  spec.device = resources.at("device").get<std::string>();
  spec.gpu_share = resources.at("gpu_share").get<double>();
  spec.pin = resources.value("pin", spec.pin);
  spec.speculation = speculation_of(resources.value("speculate", Json("auto")), json.at("trial"));
  spec.log_bytes = resources.value("log_mb", std::int64_t(64)) * 1'000'000;
  spec.memory_bytes = optional<std::int64_t>(resources.value("memory_mb", Json())).value_or(0) * 1'000'000;
  spec.determinism = json.at("determinism") == "portable" ? "portable" : "";
  const Json& keep = json.at("keep");
  spec.keep = {keep.at("best").get<int>(), keep.at("last").get<int>(), keep.at("rungs").get<bool>(),
               keep.value("all", false), keep.value("epochs", std::vector<std::int64_t>())};
}

std::string text_or_empty(const Json& json, const char* key) {
  return optional<std::string>(json.value(key, Json())).value_or("");
}

void take_executor(const Json& json, StudySpec& spec) {
  const Json executor = json.value("executor", Json("local"));
  if (executor == "local") return;
  const Json slurm = executor.is_object() ? executor.at("slurm") : Json::object();
  Slurm out;
  out.partition = text_or_empty(slurm, "partition");
  out.account = text_or_empty(slurm, "account");
  out.qos = text_or_empty(slurm, "qos");
  out.time = text_or_empty(slurm, "time");
  out.mem = text_or_empty(slurm, "mem");
  out.gres = text_or_empty(slurm, "gres");
  out.listen = text_or_empty(slurm, "listen");
  out.scratch = text_or_empty(slurm, "scratch");
  out.cpus = optional<int>(slurm.value("cpus", Json())).value_or(0);
  out.workers_per_job = slurm.value("workers_per_job", out.workers_per_job);
  out.jobs = optional<int>(slurm.value("jobs", Json())).value_or(0);
  out.idle = slurm.value("idle", out.idle);
  out.notice = slurm.value("notice", out.notice);
  out.poll = slurm.value("poll", out.poll);
  out.args = optional<std::vector<std::string>>(slurm.value("args", Json())).value_or(out.args);
  out.prologue = optional<std::vector<std::string>>(slurm.value("prologue", Json())).value_or(out.prologue);
  spec.slurm = std::move(out);
}

/// Data and model of the base configuration; kind train only.
void take_training(const Json& json, StudySpec& spec) {
  spec.data = dataset::schema_from_json(json.at("derived").at("data"));
  spec.base_model = model::build(json.at("trial").at("model"), interface_of(*spec.data, json.at("trial")));
  spec.rules.test_best = spec.data->test > 0;
  spec.rules.test_all = json.value("ablation", Json::object()).value("tested", Json()) == "all";
}

/// Slack and stride of the lanes; studies that know nothing of a stride begin all lanes at once.
void take_clock(const Json& search, StudySpec& spec) {
  const auto pruner = pruners::make_pruner(spec.pruner);
  std::vector<std::int64_t> rungs = pruner->rungs();
  if (rungs.empty()) rungs = {spec.rules.epochs};  // nothing decides inside a trial: one piece
  const auto mean_pieces = [&](double n) { return slack_ticks(n, rungs, pruner->shares(), base_epoch(spec)); };
  spec.rules.slack = mean_pieces(search.at("slack").get<double>());
  if (search.value("stagger", false)) spec.rules.stride = mean_pieces(1) / spec.rules.lanes;
}

/// Where variants get replicates as long as their answers are open, or begin after the baseline, or once tuned.
void take_looks(const Json& json, StudySpec& spec) {
  const Json section = json.value("ablation", Json::object());
  const bool is_retuned = section.contains("retune");
  if (!section.contains("stopping") && !section.contains("start_from") && !is_retuned) return;
  const auto family = int(json.at("derived").at("ablation").at("variants").size()) - 1;
  auto analysis = ablation::analysis_options(json, spec.rules.objective.maximize);
  if (analysis.looks.at.empty()) analysis.looks.at = {section.at("replicates").at("n").get<int>()};
  const auto replicate = spec.space.find(kReplicate), variant = spec.space.find(kVariant);
  spec.cells = {replicate.value(), variant.value(), statistics::sequential_rules(analysis, std::max(1, family)),
                section.contains("start_from")};
  if (!is_retuned) return;
  const Json& retune = section["retune"];
  spec.retune = {spec.space.find(kPurpose).value(), spec.space.find(kTuning).value(),
                 retune.at("trials").get<std::int64_t>(), retune.at("sampler").get<std::string>(), *spec.cells};
}

/// Where what a round measured decides what the next one trains.
void take_rounds(const Json& json, StudySpec& spec) {
  const Json derived = json.value("derived", Json::object()).value("ablation", Json());
  if (!ablation::has_rounds(derived)) return;
  const auto replicate = spec.space.find(kReplicate), variant = spec.space.find(kVariant);
  const std::vector<Json>& ids = spec.space.parameters().at(variant.value()).choices;
  const auto number = [&](const std::string& id) -> std::optional<std::size_t> {
    const auto found = std::find(ids.begin(), ids.end(), Json(id));
    return found == ids.end() ? std::nullopt : std::optional(std::size_t(found - ids.begin()));
  };
  const bool maximize = spec.rules.objective.maximize;
  spec.rounds = {replicate.value(), *variant, ablation::stepwise_rules(json.at("ablation"), derived, maximize, number)};
}

StudySpec build(const Json& json, const std::string& text) {
  StudySpec spec;
  spec.name = json.at("study").get<std::string>();
  spec.text = text;
  spec.json = json;
  spec.hash = hash_of(json);
  spec.seed = json.at("seed").get<std::uint64_t>();
  spec.rules = rules_of(json);
  spec.space = space_of(json);
  for (const Json& asked : json.at("search").value("enqueue", Json::array())) {
    spec.rules.enqueue.push_back(space::asked_from_json(spec.space, asked));
  }
  spec.sampler = json.at("search").at("sampler").get<std::string>();
  spec.learn_from = json["search"].value("learn_from", spec.learn_from);
  spec.pruner = pruner_of(json.at("search").at("pruner"), spec);
  spec.rules.explorer = explorer_of(spec.pruner.kind);
  spec.kind = json.at("trial").at("kind").get<std::string>();
  take_looks(json, spec);
  take_rounds(json, spec);
  take_limits(json, spec);
  take_retry_delay(json, spec);
  take_resources(json, spec);
  take_executor(json, spec);
  if (spec.kind == "train") take_training(json, spec);
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
  for (const space::Parameter& parameter : spec.space.parameters()) setup.parameters[parameter.name] = parameter.at;
  setup.metric = spec.rules.objective.metric;
  setup.maximize = spec.rules.objective.maximize;
  setup.keep_best = spec.rules.objective.at_best;
  setup.keep_epochs = spec.keep.epochs;
  setup.threads = spec.threads_per_trial;
  setup.device = spec.device;
  setup.gpu_share = spec.gpu_share;
  setup.determinism = spec.determinism;
  setup.artifacts = artifacts.string();
  setup.time_limit = spec.trial_time_limit;
  setup.log_bytes = spec.log_bytes;
  setup.memory_bytes = spec.memory_bytes;
  return setup;
}

}  // namespace dlrun::spec
