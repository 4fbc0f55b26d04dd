// SPDX-License-Identifier: Apache-2.0
#include "optuna/import.hpp"

#include "document/emit.hpp"
#include "optuna/domains.hpp"
#include "optuna/measured.hpp"
#include "optuna/names.hpp"
#include "optuna/source.hpp"
#include "spec/study_spec.hpp"
#include "storage/moving.hpp"
#include "storage/paths.hpp"
#include "storage/staging.hpp"
#include "storage/store.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/selector.hpp"

namespace dlrun::optuna {

namespace fs = std::filesystem;
using storage::OptunaStudy;
using storage::OptunaTrial;
using trial::TrialState;

namespace {

constexpr const char* kReason = "imported from Optuna";
constexpr const char* kPruned = "pruned in Optuna";

std::string name_for(const OptunaStudy& study, const ImportOptions& options) {
  std::set<std::string> taken;
  std::string name = options.name.empty() ? own_name(study.name, taken) : options.name;
  if (is_selector(name))
    throw Error(ErrorKind::usage, "'" + name + "' means trials or studies where names are given",
                "take another with --as");
  storage::require_new_name(name);
  return name;
}

std::string text_of(const std::string& name, const Metrics& metrics, const Domains& domains) {
  Json json{{"study", name},
            {"objective", metrics.objective()},
            {"space", domains.space()},
            {"search", {{"lanes", 1}}},
            {"trial", {{"kind", "asked"}, {"epochs", metrics.steps()}}}};
  if (!metrics.feasible().empty()) json["feasible"] = metrics.feasible();
  return "# Carried out by Optuna, whose storage does not say with which sampler.\n" + document::to_yaml(json);
}

spec::StudySpec spec_of(const std::string& text, const fs::path& folder) {
  const fs::path file = folder / "study.yaml";
  write_file(file, text, {.durable = false});
  try {
    return spec::read({.file = file});
  } catch (const spec::SpecError& faults) {
    throw Error(ErrorKind::usage, "this can be no study of dlrun's:\n" + std::string(faults.what()));
  }
}

storage::StudyRow row_of(const spec::StudySpec& spec) {
  storage::StudyRow row{.name = spec.name, .hash = spec.hash, .spec_text = spec.text, .spec = spec.json, .created = {}};
  row.seed = spec.seed;
  row.slack = spec.rules.slack;
  return row;
}

/// Writes trials in their order: each begins when the one before is over.
class Writer {
 public:
  Writer(const spec::StudySpec& spec, const Metrics& metrics, const Domains& domains, storage::Store& store)
      : spec_(spec), metrics_(metrics), domains_(domains), store_(store) {}

  void add_trial(const OptunaTrial& from) {
    key_ = {{trial::TrialId(trials_++)}, 0};
    const space::Values values = values_of(from);
    decide(study::DecisionKind::start, metrics_.steps(), values, "proposed by Optuna");
    const bool is_whole = spec_.space.contains(values);
    if (from.state == "COMPLETE" || from.state == "PRUNED") return end(from);
    if (from.state == "FAIL" && is_whole) return fail(from, trial::Cause::exception, failure_of(from));
    cancel(from.state == "FAIL" ? "failed before it had all its parameters" : "was not over when it was imported");
    open_ += from.state == "FAIL" ? 0 : 1;
  }

  void finish() {
    key_ = {};
    decide(study::DecisionKind::finish, 0, {}, kReason);
    store_.study_state("finished", kReason);
  }

  std::int64_t open() const { return open_; }

 private:
  space::Values values_of(const OptunaTrial& from) const {
    space::Values values(spec_.space.size());
    const Json named = domains_.values_of(from);
    for (const auto& [name, value] : named.items()) {
      const std::size_t index = spec_.space.find(name).value();
      values[index] = spec_.space.from_json(index, value);
    }
    return values;
  }

  static std::string failure_of(const OptunaTrial& from) {
    for (const storage::OptunaAttribute& attribute : from.attributes) {
      if (attribute.is_system && attribute.name == "fail_reason") return attribute.value;
    }
    return "failed in Optuna";
  }

  void decide(study::DecisionKind kind, std::int64_t to_step, const space::Values& values, const std::string& reason) {
    study::Decision d;
    d.number = decisions_++;
    d.kind = kind;
    d.key = key_;
    d.to_step = to_step;
    d.values = values;
    d.reason = reason;
    store_.add(d);
  }

  trial::PieceResult result_of(const OptunaTrial& from) const {
    trial::PieceResult result;
    result.key = key_;
    result.attempt = 1;
    if (from.started_ms && from.completed_ms) result.seconds = double(*from.completed_ms - *from.started_ms) / 1000;
    return result;
  }

  void record(const trial::PieceResult& result) {
    store_.attempts().start({.key = key_, .attempt = 1, .worker = 0, .resume = {}, .partial = {}, .donor = {}});
    store_.add(study::Event(study::PieceEnded{result}));
  }

  void end(const OptunaTrial& from) {
    const std::vector<double> values = metrics_.results(from);
    const bool is_pruned = from.state == "PRUNED";
    if (values.empty() && !is_pruned) return fail(from, trial::Cause::nan, "its result is not finite");
    trial::PieceResult result = result_of(from);
    result.reports = metrics_.reports(from);
    const std::int64_t steps = result.reports.empty() ? 0 : result.reports.back().step;
    result.outcome = steps == metrics_.steps() ? trial::Outcome::completed : trial::Outcome::early;
    record(result);
    if (is_pruned) decide(study::DecisionKind::prune, 0, {}, kPruned);
    study::TrialChanged change{
        .trial = key_.member.trial, .state = TrialState::completed, .steps = steps, .message = {}};
    if (is_pruned) change.state = TrialState::pruned, change.message = kPruned;
    if (!values.empty()) {
      change.objective = values.front();
      change.objective_step = steps;
      change.further.assign(values.begin() + 1, values.end());
    }
    change.violation = metrics_.violation(from);
    store_.change(change);
  }

  void fail(const OptunaTrial& from, trial::Cause cause, const std::string& message) {
    trial::PieceResult result = result_of(from);
    result.outcome = trial::Outcome::failed;
    result.cause = cause;
    result.message = message;
    record(result);
    store_.change(
        {.trial = key_.member.trial, .state = TrialState::failed, .objective = {}, .cause = cause, .message = message});
  }

  void cancel(const std::string& message) {
    store_.add(study::Event(study::CancelAsked{key_.member.trial}));
    store_.change({.trial = key_.member.trial,
                   .state = TrialState::cancelled,
                   .objective = {},
                   .cause = trial::Cause::cancelled,
                   .message = message});
  }

  const spec::StudySpec& spec_;
  const Metrics& metrics_;
  const Domains& domains_;
  storage::Store& store_;
  trial::PieceKey key_;
  std::int64_t trials_ = 0, decisions_ = 0, open_ = 0;
};

/// The study's file in a store of its own. @return number of trials that were not over
std::int64_t write(const OptunaStudy& study, const std::string& name, const fs::path& folder) {
  const Domains domains(study);
  if (domains.space().empty())
    throw Error(ErrorKind::usage,
                "study '" + study.name + "' has no trial with a parameter: there is nothing to import");
  const Metrics metrics(study);
  const spec::StudySpec spec = spec_of(text_of(name, metrics, domains), folder);
  const auto store = storage::Store::create(folder, row_of(spec), spec.space);
  store->begin();
  Writer writer(spec, metrics, domains, *store);
  for (const OptunaTrial& trial : study.trials) writer.add_trial(trial);
  writer.finish();
  store->commit(storage::Durability::full);
  store->close();
  storage::keep_optuna_rows(storage::study_file(folder, name, ".db"), study);
  return writer.open();
}

}  // namespace

Imported import_study(const fs::path& file, const ImportOptions& options) {
  const OptunaStudy study = read_study(file, options.study);
  const std::string name = name_for(study, options);
  if (storage::Store::find(options.store, name))
    throw Error(ErrorKind::store, "study '" + name + "' exists already", "--as takes it in under another name");
  const storage::Staging staging(options.store);
  Imported out{.study = name, .came_as = study.name, .trials = std::int64_t(study.trials.size())};
  out.open = write(study, name, staging.path());
  storage::take_in(storage::study_file(staging.path(), name, ".db"), options.store, name);
  return out;
}

}  // namespace dlrun::optuna
