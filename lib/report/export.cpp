// SPDX-License-Identifier: Apache-2.0
// The logical export: what must be equal, byte by byte, however many workers ran the study and whatever died meanwhile.
// Left out: names of the study and its files, times, hosts, workers, attempts, telemetry, messages.
#include <functional>
#include <ostream>

#include "report/opened.hpp"
#include "trial/json.hpp"
#include "trial/trial.hpp"

namespace dlrun::report {

namespace {

using Line = std::function<void(const Json&)>;

void export_study(const OpenedStudy& study, const Line& line) {
  storage::Statement row = study.query("SELECT seed, slack FROM dl_study");
  row.step();
  Json json = {{"export", "dlrun logical 1"},
               {"metric", study.metric},
               {"maximize", study.maximize},
               {"seed", std::string(row.text(0))},
               {"slack", row.integer(1)}};
  for (const Goal& goal : study.further) json["further"].push_back({goal.metric, goal.maximize});
  line(json);
}

/// n, standard error, low, high of an objective that is a mean.
Json interval_of(const OpenedStudy& study, std::int64_t trial) {
  storage::Statement row = study.query("SELECT members, standard_error, low, high FROM dl_trial WHERE trial = ?");
  row.bind(trial).step();
  return {row.integer(0), cell(row, 1), cell(row, 2), cell(row, 3)};
}

/// Lessons that the sampler was told before the first decision.
void export_learned(const OpenedStudy& study, const Line& line) {
  storage::Statement rows = study.query("SELECT body FROM dl_log WHERE kind = 8 ORDER BY seq");
  while (rows.step()) line({{"learned", parse_json(rows.text(0), "what was learned")}});
}

/// Versions of the spec in their order; the row of the decision itself stands among the others.
void export_amendments(const OpenedStudy& study, const Line& line) {
  storage::Statement rows = study.query("SELECT body FROM dl_log WHERE kind = 10 ORDER BY seq");
  while (rows.step()) {
    const Json body = parse_json(rows.text(0), "an amendment");
    line({{"amended", body.at("version")}, {"hash", body.at("hash")}, {"defaults", body.at("defaults")}});
  }
}

void export_trials(const OpenedStudy& study, const Line& line) {
  const bool is_mean = has_members(study);
  storage::Statement rows =
      study.query("SELECT trial, state, objective, objective_step, epochs, cause FROM dl_trial ORDER BY trial");
  while (rows.step()) {
    const auto state = static_cast<trial::TrialState>(rows.integer(1));
    Json json = {{"trial", rows.integer(0)},   {"state", trial::to_string(state)},
                 {"objective", cell(rows, 2)}, {"objective_step", rows.integer(3)},
                 {"epochs", rows.integer(4)},  {"params", params_of(study, rows.integer(0))}};
    if (is_mean) json["interval"] = interval_of(study, rows.integer(0));
    for (Json& value : further_values(study, rows.integer(0))) json["further"].push_back(std::move(value));
    if (study.has_bounds && !rows.is_null(2)) json["violation"] = violation_of(study, rows.integer(0));
    if (state == trial::TrialState::failed)
      json["cause"] = trial::to_string(static_cast<trial::Cause>(rows.integer(5)));
    line(json);
  }
}

void export_decisions(const OpenedStudy& study, const Line& line) {
  storage::Statement rows = study.query("SELECT body FROM dl_log WHERE kind = 0 ORDER BY seq");
  while (rows.step()) line({{"decision", parse_json(rows.text(0), "a decision")}});
}

/// One line per member and step.
void export_metrics(const OpenedStudy& study, const Line& line) {
  storage::Statement rows = study.query(
      "SELECT m.trial, m.replicate, m.fold, m.step, n.name, m.value, m.kind FROM dl_metric m JOIN dl_metric_name n ON "
      "n.metric = m.metric WHERE m.committed = 1 ORDER BY m.trial, m.replicate, m.fold, m.step");
  Json member;
  Json metrics = Json::object();
  while (rows.step()) {
    const Json next = {rows.integer(0), rows.integer(1), rows.integer(2), rows.integer(3)};
    if (next != member && !metrics.empty()) line({{"measured", member}, {"metrics", metrics}});
    if (next != member) metrics = Json::object();
    member = next;
    metrics[std::string(rows.text(4))] = rows.is_null(5) ? cell(rows, 6) : cell(rows, 5);
  }
  if (!metrics.empty()) line({{"measured", member}, {"metrics", metrics}});
}

/// Artifacts that completed attempts have left; two of them that left the same file are one.
void export_artifacts(const OpenedStudy& study, const Line& line) {
  storage::Statement rows = study.query(
      "SELECT DISTINCT a.trial, a.replicate, a.fold, a.piece, a.role, a.step, a.sha256 FROM dl_artifact a JOIN "
      "dl_attempt t "
      "ON t.trial = a.trial AND t.replicate = a.replicate AND t.fold = a.fold AND t.piece = a.piece AND "
      "t.attempt = a.attempt WHERE t.state = 1 ORDER BY 1, 2, 3, 4, 5, 6, 7");
  while (rows.step()) {
    line({{"artifact", {rows.integer(0), rows.integer(1), rows.integer(2), rows.integer(3)}},
          {"role", std::string(rows.text(4))},
          {"step", rows.integer(5)},
          {"sha256", std::string(rows.text(6))}});
  }
}

void export_outcome(const OpenedStudy& study, const Line& line) {
  const Table best = best_of(study, 1);
  Json json = {{"outcome", study.database->text("SELECT iif(state = 'finished', state, 'open') FROM dl_study")}};
  if (!best.rows.empty()) json["best_trial"] = best.rows[0][0];
  if (!best.rows.empty()) json["best"] = best.rows[0][1];
  line(json);
}

void export_lines(const OpenedStudy& study, const Line& line) {
  export_study(study, line);
  export_learned(study, line);
  export_amendments(study, line);
  export_trials(study, line);
  export_decisions(study, line);
  export_metrics(study, line);
  export_artifacts(study, line);
  export_outcome(study, line);
}

}  // namespace

void export_logically(const std::filesystem::path& store, const std::vector<std::string>& studies, std::ostream& out) {
  for (const std::string& name : chosen(store, studies)) {
    const OpenedStudy study = open_study(store, name);
    const Snapshot snapshot(study);
    export_lines(study, [&](const Json& line) { out << to_text(line) << '\n'; });
  }
}

}  // namespace dlrun::report
