// SPDX-License-Identifier: Apache-2.0
// Tables about a whole study: its state, how the best value came about.
#include <fmt/format.h>

#include <array>

#include "report/opened.hpp"
#include "storage/clock.hpp"
#include "storage/lock.hpp"
#include "storage/paths.hpp"
#include "trial/trial.hpp"

namespace dlrun::report {

namespace {

constexpr int kStates = 7;

struct Counts {
  std::int64_t total = 0;
  std::array<std::int64_t, kStates> of{};
};

bool is_held(const OpenedStudy& study) {
  return storage::WriterLock::is_held(storage::study_file(study.store, study.name, ".lock"));
}

/// Does a driver go on with it, or people, who hold it only while they ask and tell?
bool is_under_way(const OpenedStudy& study) {
  storage::Statement row = study.query("SELECT json_extract(spec, '$.trial.kind') FROM dl_study");
  return is_held(study) || (row.step() && row.text(0) == "asked");
}

/// A trial runs while a worker has it; one whose next piece is merely decided waits, and so does every open one of a
/// study that nobody runs.
Counts count_trials(const OpenedStudy& study) {
  Counts counts;
  const std::string has_worker =
      is_under_way(study) ? "EXISTS (SELECT 1 FROM dl_attempt a WHERE a.trial = dl_trial.trial AND a.state = 0)" : "0";
  storage::Statement rows = study.query("SELECT iif(state = 1 AND NOT " + has_worker +
                                        ", 0, state) AS shown, count(*) FROM dl_trial GROUP BY shown");
  while (rows.step()) {
    counts.total += rows.integer(1);
    if (rows.integer(0) < kStates) counts.of[std::size_t(rows.integer(0))] = rows.integer(1);
  }
  return counts;
}

std::int64_t in(const Counts& counts, trial::TrialState state) { return counts.of[std::size_t(state)]; }

/// A study that says "running" while nobody goes on with it was cut off.
std::string state_text(const OpenedStudy& study, const std::string& stored) {
  if (stored != "running") return stored;
  return is_under_way(study) ? stored : "interrupted";
}

}  // namespace

Table summary_of(const OpenedStudy& study) {
  storage::Statement row = study.query("SELECT state, started, finished FROM v_study");
  row.step();
  const Counts counts = count_trials(study);
  const BestTrial best = best_trial_of(study);
  return {
      "studies",
      {"study", "state", "trials", "completed", "best", "best_trial", "metric", "started", "finished"},
      {{study.name, state_text(study, std::string(row.text(0))), counts.total, in(counts, trial::TrialState::completed),
        best.value, best.trial, study.metric, cell(row, 1), cell(row, 2)}}};
}

Table status_of(const OpenedStudy& study) {
  storage::Statement row = study.query("SELECT state, reason, started, finished FROM v_study");
  row.step();
  Table table{"status", {"study", "state", "reason", "trials"}, {}};
  const Counts counts = count_trials(study);
  const BestTrial best = best_trial_of(study);
  std::vector<Json> cells{study.name, state_text(study, std::string(row.text(0))), cell(row, 1), counts.total};
  for (int i = 0; i < kStates; ++i) {
    table.columns.emplace_back(trial::to_string(static_cast<trial::TrialState>(i)));
    cells.push_back(counts.of[std::size_t(i)]);
  }
  for (const char* name : {"best", "best_trial", "metric", "started", "finished"}) table.columns.emplace_back(name);
  for (Json& value : std::vector<Json>{best.value, best.trial, study.metric, cell(row, 2), cell(row, 3)}) {
    cells.push_back(std::move(value));
  }
  table.rows.push_back(std::move(cells));
  return table;
}

Table progress_of(const OpenedStudy& study) {
  if (!study.further.empty()) return joining_of(study);
  Table table{"progress of " + goal_of(study), {"trial", "objective", "completed", "finished"}, {}};
  storage::Statement rows = study.query(
      std::string("SELECT trial, objective, finished FROM dl_trial WHERE state = 3 AND objective IS NOT NULL ") +
      (study.has_bounds ? "AND violation <= 0 " : "") + "ORDER BY trial");
  std::optional<double> best;
  std::int64_t completed = 0;
  while (rows.step()) {
    const double value = rows.real(1);
    ++completed;
    if (best && (study.maximize ? value <= *best : value >= *best)) continue;
    best = value;
    table.rows.push_back({rows.integer(0), value, completed, storage::to_iso(rows.integer(2))});
  }
  return table;
}

}  // namespace dlrun::report
