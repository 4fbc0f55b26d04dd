// SPDX-License-Identifier: Apache-2.0
// Layout of files and numbers of states: those that MLflow 3.17 reads.
#include "exchange/mlflow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "exchange/hparams.hpp"
#include "exchange/mlflow_run.hpp"
#include "exchange/safe_names.hpp"
#include "exchange/study_source.hpp"
#include "util/sha256.hpp"

namespace dlrun::exchange {

namespace {

constexpr std::size_t kMostParam = 6000;  ///< bytes; MLflow takes so many characters
constexpr std::size_t kMostTag = 8000;

/// The same study has the same identity in each export.
std::string identity(const StudySource& source) { return fmt::format("{}\n{}\n", source.name(), source.created()); }

/// 18 digits, as MLflow's own numbers of experiments.
std::string experiment_id(const StudySource& source) {
  const Sha256::Digest digest = Sha256::of(identity(source));
  std::uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number = number << 8 | digest[std::size_t(i)];
  constexpr std::uint64_t kLeast = 100'000'000'000'000'000, kCount = 900'000'000'000'000'000;
  return std::to_string(kLeast + number % kCount);
}

std::vector<std::string> names_of_metrics(const StudySource& source) {
  std::vector<std::string> out = source.metric_tags();
  for (const std::string& objective : source.objectives()) out.push_back(objective_tag(objective));
  return out;
}

std::vector<std::string> names_of_parameters(const StudySource& source) {
  std::vector<std::string> out;
  for (const Parameter& parameter : source.parameters()) out.push_back(parameter.name);
  return out;
}

std::vector<std::string> tag_words(const StudySource& source) {
  std::vector<std::string> out;
  storage::Statement rows = source.study().query("SELECT DISTINCT tag FROM dl_tag ORDER BY tag");
  while (rows.step()) out.push_back("dlrun.tag." + clean_text(rows.text(0)));
  return out;
}

/// Notes by trial; -1: of the study.
std::map<std::int64_t, std::string> notes_of(const StudySource& source) {
  std::map<std::int64_t, std::string> out;
  storage::Statement rows = source.study().query("SELECT coalesce(trial, -1), text FROM dl_note ORDER BY id");
  while (rows.step()) {
    std::string& note = out[rows.integer(0)];
    note += (note.empty() ? "" : "\n\n") + clean_text(rows.text(1));
  }
  return out;
}

std::string line_of(std::int64_t time, double value, std::int64_t step) {
  return fmt::format("{} {} {}\n", time, float_text(value), step);
}

/// Runs of one study.
class Runs {
 public:
  Runs(ExportFolder& folder, const StudySource& source, Exported& done)
      : folder_(folder),
        source_(source),
        done_(done),
        experiment_{experiment_id(source), {}},
        metrics_(names_of_metrics(source)),
        parameters_(names_of_parameters(source)),
        tags_(tag_words(source)),
        notes_(notes_of(source)),
        tag_rows_(source.study().query("SELECT tag FROM dl_tag WHERE trial = ? ORDER BY tag")),
        artifact_rows_(source.study().query(
            "SELECT replicate, fold, piece, attempt, role, step, sha256, bytes, deleted IS NOT NULL FROM dl_artifact "
            "WHERE trial = ? ORDER BY replicate, fold, piece, attempt, role, step")) {
    experiment_.location = file_uri(folder.final_path() / experiment_.id);
  }

  void write() {
    write_experiment();
    source_.for_each_trial([&](const Trial& trial) { write_trial(trial); });
    say("metric", metrics_);
    say("parameter", parameters_);
    say("tag", tags_);
    if (cut_ > 0)
      done_.remarks.push_back(
          fmt::format("{}: {} values are longer than MLflow takes and are cut", source_.name(), cut_));
  }

 private:
  void write_experiment() {
    const std::filesystem::path at = experiment_.id;
    folder_.write(at / "meta.yaml",
                  fmt::format("artifact_location: {}\ncreation_time: {}\nexperiment_id: '{}'\nlast_update_time: {}\n"
                              "lifecycle_stage: active\nname: {}\n",
                              yaml_text(experiment_.location), source_.created(), experiment_.id, source_.newest(),
                              yaml_text(source_.name())));
    const report::OpenedStudy& study = source_.study();
    folder_.write(at / "tags" / "dlrun.metric", source_.objectives()[0]);
    folder_.write(at / "tags" / "dlrun.direction", study.maximize ? "maximize" : "minimize");
    folder_.write(at / "tags" / "dlrun.hash", study.database->text("SELECT hash FROM dl_study"));
    if (notes_.count(-1) > 0) folder_.write(at / "tags" / "mlflow.note.content", shortened(notes_.at(-1), kMostTag));
  }

  /// MLflow knows no run without a begin.
  void write_trial(const Trial& trial) {
    if (!has_begun(trial)) {
      ++done_.skipped;
      return;
    }
    ++done_.trials;
    done_.values += std::int64_t(trial.points.size());
    MlflowRun run = run_of(trial, "");
    run.artifacts = artifacts_of(trial);
    const bool has_members = shows_members(source_, trial);
    add_curves(run, has_members ? mean_points(trial.points) : trial.points);
    add_objectives(run, trial, scores_of(trial));
    write_run(folder_, experiment_, run);
    if (has_members) write_members(trial, run.id);
  }

  void write_members(const Trial& trial, const std::string& parent) {
    for (const std::vector<Point>& points : by_member(trial.points)) {
      const std::pair<int, int> member = points.front().member;
      MlflowRun run = run_of(trial, member_name(member));
      run.tags.emplace_back("mlflow.parentRunId", parent);
      add_curves(run, points);
      add_objectives(run, trial, scores_of(trial, member));
      write_run(folder_, experiment_, run);
    }
  }

  MlflowRun run_of(const Trial& trial, const std::string& member) {
    MlflowRun run;
    run.id = Sha256::hex_of(fmt::format("{}{}\n{}", identity(source_), trial.number, member)).substr(0, 32);
    run.name = fmt::format("{}/{}", source_.name(), trial.number) + (member.empty() ? "" : " " + member);
    run.state = trial.state;
    run.started = begin_of(source_, trial);
    run.finished = trial.finished;
    for (const auto& [name, value] : trial.params)
      run.params.emplace_back(parameters_.of(name), shortened(clean_text(plain_text(value)), kMostParam));
    add_tags(run, trial);
    return run;
  }

  void add_tags(MlflowRun& run, const Trial& trial) {
    run.tags = {{"mlflow.runName", run.name},
                {"mlflow.source.name", "dlrun"},
                {"mlflow.source.type", "LOCAL"},
                {"mlflow.user", "dlrun"},
                {"dlrun.trial", fmt::format("{}/{}", source_.name(), trial.number)},
                {"dlrun.state", std::string(trial::to_string(trial.state))}};
    if (!trial.cause.empty()) run.tags.emplace_back("dlrun.cause", trial.cause);
    if (!trial.message.empty()) run.tags.emplace_back("dlrun.message", shortened(trial.message, kMostTag));
    const auto note = notes_.find(trial.number);
    if (note != notes_.end()) run.tags.emplace_back("mlflow.note.content", shortened(note->second, kMostTag));
    tag_rows_.bind(trial.number);
    while (tag_rows_.step()) run.tags.emplace_back(tags_.of("dlrun.tag." + clean_text(tag_rows_.text(0))), "true");
  }

  /// @param points  of one member
  void add_curves(MlflowRun& run, const std::vector<Point>& points) {
    const std::vector<std::string> tags = source_.metric_tags();
    std::vector<std::string> lines(tags.size());
    for (const Point& point : points) lines[point.metric] += line_of(point.time, point.value, point.step);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].empty()) add_metric(run, tags[i], lines[i]);
    }
  }

  void add_objectives(MlflowRun& run, const Trial& trial, const Scores& scores) {
    const std::vector<std::string> names = source_.objectives();
    const std::int64_t time = trial.finished.value_or(source_.newest());
    for (std::size_t i = 0; i < scores.values.size(); ++i) {
      if (const Json& value = scores.values[i]; value.is_number())
        add_metric(run, objective_tag(names[i]), line_of(time, value.get<double>(), scores.step));
    }
  }

  void add_metric(MlflowRun& run, const std::string& name, const std::string& lines) {
    run.metrics.push_back({metrics_.of(name), lines});
  }

  /// A list of what the store has; the files stay there.
  std::string artifacts_of(const Trial& trial) {
    Json list = Json::array();
    artifact_rows_.bind(trial.number);
    while (artifact_rows_.step())
      list.push_back({{"replicate", artifact_rows_.integer(0)},
                      {"fold", artifact_rows_.integer(1)},
                      {"piece", artifact_rows_.integer(2)},
                      {"attempt", artifact_rows_.integer(3)},
                      {"role", artifact_rows_.text(4)},
                      {"step", artifact_rows_.integer(5)},
                      {"sha256", artifact_rows_.text(6)},
                      {"bytes", artifact_rows_.integer(7)},
                      {"deleted", artifact_rows_.integer(8) != 0}});
    return list.empty() ? "" : list.dump(1) + "\n";
  }

  std::string shortened(const std::string& text, std::size_t most) {
    if (text.size() > most) ++cut_;
    return cut_text(text, most);
  }

  void say(const char* kind, const SafeNames& names) {
    for (const auto& [name, safe] : names.renamed())
      done_.remarks.push_back(fmt::format("{}: {} '{}' is '{}' in MLflow", source_.name(), kind, name, safe));
  }

  ExportFolder& folder_;
  const StudySource& source_;
  Exported& done_;
  MlflowExperiment experiment_;
  SafeNames metrics_, parameters_, tags_;
  std::map<std::int64_t, std::string> notes_;
  storage::Statement tag_rows_, artifact_rows_;
  std::int64_t cut_ = 0;
};

}  // namespace

Exported export_mlflow(const ExportRequest& request) {
  ExportFolder folder(request.folder);
  Exported done;
  for (const std::string& name : request.studies) {
    const StudySource source(request.folder.store, name);
    Runs(folder, source, done).write();
    if (!source.is_finished()) done.unfinished.push_back(source.name());
  }
  folder.keep();
  done.final_path = folder.final_path();
  return done;
}

}  // namespace dlrun::exchange
