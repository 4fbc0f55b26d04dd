// SPDX-License-Identifier: Apache-2.0
#include "report/trials.hpp"

#include "report/opened.hpp"
#include "report/winner.hpp"
#include "storage/best_trials.hpp"

namespace dlrun::report {

std::optional<std::string> study_state(const std::filesystem::path& store, const std::string& study) {
  const OpenedStudy opened = open_study(store, study);
  storage::Statement row = opened.query("SELECT state FROM dl_study");
  if (!row.step() || row.is_null(0)) return std::nullopt;
  return std::string(row.text(0));
}

std::int64_t trial_count(const std::filesystem::path& store, const std::string& study) {
  return open_study(store, study).database->integer("SELECT coalesce(max(trial) + 1, 0) FROM dl_trial");
}

std::optional<std::int64_t> last_trial(const std::filesystem::path& store, const std::string& study) {
  const std::int64_t last = open_study(store, study)
                                .database->integer(
                                    "SELECT coalesce((SELECT max(trial) FROM dl_attempt), "
                                    "(SELECT max(trial) FROM dl_trial), -1)");
  return last < 0 ? std::nullopt : std::optional(last);
}

std::optional<std::int64_t> best_trial(const std::filesystem::path& store, const std::string& study) {
  const OpenedStudy opened = open_study(store, study);
  const std::vector<study::Contender> best = storage::best_trials(*opened.database, 1);
  return best.empty() ? std::nullopt : std::optional(best.front().id.value);
}

std::optional<ShrunkenBest> shrunken_best(const std::filesystem::path& store, const std::string& study) {
  const OpenedStudy opened = open_study(store, study);
  const Snapshot snapshot(opened);
  if (!has_members(opened)) return std::nullopt;
  const std::optional<Winner> winner = winner_of(opened);
  if (!winner || !winner->value) return std::nullopt;
  const auto& [value, low, high] = *winner->value;
  return ShrunkenBest{winner->trial, opened.metric, winner->measured, value, low, high, winner->contenders};
}

std::vector<std::int64_t> front_trials(const std::filesystem::path& store, const std::string& study) {
  const OpenedStudy opened = open_study(store, study);
  std::vector<std::int64_t> trials;
  if (opened.further.empty()) return trials;
  for (const Scored& trial : front_scores(opened)) trials.push_back(trial.trial);
  return trials;
}

std::vector<std::int64_t> trials_in(const std::filesystem::path& store, const std::string& study,
                                    trial::TrialState state) {
  const OpenedStudy opened = open_study(store, study);
  storage::Statement rows = opened.query("SELECT trial FROM dl_trial WHERE state = ? ORDER BY trial");
  rows.bind(int(state));
  std::vector<std::int64_t> trials;
  while (rows.step()) trials.push_back(rows.integer(0));
  return trials;
}

trial::TrialState shown_state(const std::filesystem::path& store, const std::string& study, std::int64_t trial) {
  const OpenedStudy opened = open_study(store, study);
  storage::Statement row = opened.query("SELECT state FROM v_trials WHERE trial = ?");
  row.bind(trial).step();
  return trial::trial_state(row.text(0));
}

}  // namespace dlrun::report
