// SPDX-License-Identifier: Apache-2.0
// Which trials are the best, by one rule for every table: completed ones; while none is, those that are open or pruned.
#include <fmt/format.h>

#include <algorithm>

#include "report/opened.hpp"
#include "trial/trial.hpp"

namespace dlrun::report {

namespace {

using trial::TrialState;

const char* feasible(const OpenedStudy& study) { return study.has_bounds ? "AND violation <= 0" : ""; }

bool has_completed(const OpenedStudy& study) {
  storage::Statement row =
      study.query(fmt::format("SELECT 1 FROM dl_trial WHERE state = {} AND objective IS NOT NULL {} LIMIT 1",
                              int(TrialState::completed), feasible(study)));
  return row.step();
}

/// Best first; equal values by trial number, so that every report agrees. The rule of Study::best().
std::string best_order(const OpenedStudy& study) {
  const std::string states = has_completed(study)
                                 ? fmt::format("= {}", int(TrialState::completed))
                                 : fmt::format("NOT IN ({}, {})", int(TrialState::failed), int(TrialState::cancelled));
  std::string order = study.maximize ? "objective DESC" : "objective ASC";
  for (std::size_t i = 0; i < study.further.size(); ++i) {
    order += fmt::format(", (SELECT v.value FROM dl_value v WHERE v.trial = dl_trial.trial AND v.objective = {}) {}",
                         i + 1, study.further[i].maximize ? "DESC" : "ASC");
  }
  return fmt::format("WHERE state {} AND objective IS NOT NULL {} ORDER BY {}, trial", states, feasible(study), order);
}

/// The objective's counterpart on the test split: "test.accuracy" of "val.accuracy"; empty: it was not measured.
std::string test_metric(const OpenedStudy& study) {
  const std::string name = "test" + study.metric.substr(std::min(study.metric.find('.'), study.metric.size()));
  storage::Statement row = study.query("SELECT 1 FROM dl_metric_name WHERE name = ?");
  return row.bind(name).step() ? name : std::string();
}

/// The mean of its members; null but for the trial that the test was for.
Json test_value(const OpenedStudy& study, std::int64_t trial, const std::string& metric) {
  storage::Statement row = study.query(
      "SELECT avg(value) FROM (SELECT value, max(step) FROM dl_metric WHERE trial = ? AND "
      "metric = (SELECT metric FROM dl_metric_name WHERE name = ?) GROUP BY replicate, fold)");
  return row.bind(trial, metric).step() ? cell(row, 0) : Json();
}

}  // namespace

std::vector<std::string> parameter_names(const OpenedStudy& study) {
  std::vector<std::string> names;
  storage::Statement rows = study.query("SELECT name FROM dl_parameter ORDER BY parameter");
  while (rows.step()) names.emplace_back(rows.text(0));
  return names;
}

bool has_members(const OpenedStudy& study) {
  if (!study.has_column("dl_trial", "members")) return false;  // of an earlier dlrun
  storage::Statement row = study.query("SELECT 1 FROM dl_member LIMIT 1");
  return row.step();
}

std::string goal_of(const OpenedStudy& study) {
  return study.metric + (study.maximize ? ", highest first" : ", lowest first");
}

BestTrial best_trial_of(const OpenedStudy& study) {
  storage::Statement row = study.query("SELECT trial, objective FROM dl_trial " + best_order(study) + " LIMIT 1");
  if (!row.step()) return {};
  return {cell(row, 0), cell(row, 1)};
}

Table best_of(const OpenedStudy& study, int count) {
  Table table{"best trials by " + goal_of(study), {"trial", "objective", "epoch", "epochs", "seconds"}, {}};
  if (!has_completed(study))
    table.title += study.has_bounds ? " (no feasible one has completed)" : " (none has completed)";
  if (!study.further.empty()) table.title += "; --section pareto has the front";
  for (const Goal& goal : study.further) table.columns.push_back(goal.metric);
  const bool is_mean = has_members(study);
  if (is_mean) table.columns.insert(table.columns.begin() + 2, {"n", "standard_error", "low", "high"});
  const std::string test = test_metric(study);
  if (!test.empty()) table.columns.push_back(test);
  const std::vector<std::string> names = parameter_names(study);
  table.columns.insert(table.columns.end(), names.begin(), names.end());
  storage::Statement rows =
      study.query(std::string("SELECT trial, objective, ") + (is_mean ? "members, standard_error, low, high, " : "") +
                  "objective_step, epochs, seconds FROM dl_trial " + best_order(study) + " LIMIT ?");
  rows.bind(count);
  while (rows.step()) {
    std::vector<Json> line = cells(rows);
    for (Json& value : further_values(study, rows.integer(0))) line.push_back(std::move(value));
    if (!test.empty()) line.push_back(test_value(study, rows.integer(0), test));
    const Json params = params_of(study, rows.integer(0));
    for (const std::string& name : names) line.push_back(params.contains(name) ? params[name] : Json());
    table.rows.push_back(std::move(line));
  }
  return table;
}

}  // namespace dlrun::report
