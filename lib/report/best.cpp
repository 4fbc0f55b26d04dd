// SPDX-License-Identifier: Apache-2.0
// Tables of the best trials.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "report/column_names.hpp"
#include "report/opened.hpp"
#include "report/winner.hpp"
#include "storage/best_trials.hpp"
#include "storage/raced_winner.hpp"

namespace dlrun::report {

namespace {

/// The objective's counterpart on the test split: "test.accuracy" of "val.accuracy"; empty: it was not measured.
std::string test_metric(const OpenedStudy& study) {
  const std::string name = "test" + study.metric.substr(std::min(study.metric.find('.'), study.metric.size()));
  storage::Statement row = study.query("SELECT 1 FROM dl_metric_name WHERE name = ?");
  return row.bind(name).step() ? name : std::string();
}

/// The mean of its members, null where one is no number; null but for the trial that the test was for.
Json test_value(const OpenedStudy& study, std::int64_t trial, const std::string& metric) {
  storage::Statement row = study.query(
      "SELECT iif(count(*) = count(value), avg(value), NULL) FROM (SELECT value, max(step) FROM dl_metric WHERE trial "
      "= ? AND "
      "metric = (SELECT metric FROM dl_metric_name WHERE name = ?) GROUP BY replicate, fold)");
  return row.bind(trial, metric).step() ? cell(row, 0) : Json();
}

constexpr std::ptrdiff_t kBehindMean = 6;  ///< column after trial, objective, n, its error and interval

/// Only the winner has a value without the luck of having been chosen.
void add_shrunken(std::vector<Json>& line, const Winner& winner, std::int64_t trial) {
  Json value;
  if (trial == winner.trial) value = winner.value->value;
  line.insert(line.begin() + kBehindMean, std::move(value));
}

}  // namespace

std::vector<std::string> parameter_names(const OpenedStudy& study) {
  std::vector<std::string> names;
  storage::Statement rows = study.query("SELECT name FROM dl_parameter ORDER BY parameter");
  while (rows.step()) names.emplace_back(rows.text(0));
  return names;
}

bool has_members(const OpenedStudy& study) {
  if (!study.has_column("dl_trial", "members")) return false;  // an earlier dlrun wrote the study
  storage::Statement row = study.query("SELECT 1 FROM dl_member LIMIT 1");
  return row.step();
}

std::string goal_of(const OpenedStudy& study) {
  return study.metric + (study.maximize ? ", highest first" : ", lowest first");
}

BestTrial best_trial_of(const OpenedStudy& study) {
  const std::vector<study::Contender> best = storage::best_trials(*study.database, 1);
  if (best.empty()) return {};
  storage::Statement row = study.query("SELECT trial, objective FROM dl_trial WHERE trial = ?");
  row.bind(best.front().id.value).step();
  return {cell(row, 0), cell(row, 1)};
}

Table best_of(const OpenedStudy& study, int count) {
  const std::vector<study::Contender> best = storage::best_trials(*study.database, std::size_t(std::max(count, 0)));
  Table table{"best trials by " + goal_of(study), {"trial", "objective", "epoch", "epochs", "seconds"}, {}};
  const auto is_completed = [](const auto& one) { return one.state == trial::TrialState::completed; };
  const auto raced = storage::raced_winner(*study.database);
  if (!raced && std::none_of(best.begin(), best.end(), is_completed))
    table.title += study.has_bounds ? " (no feasible one has completed)" : " (none has completed)";
  if (raced) table.title += fmt::format("; trial {} won the race {}", raced->trial.value, raced->race);
  if (!study.further.empty()) table.title += "; --section pareto has the front";
  const bool is_mean = has_members(study);
  if (is_mean) table.columns.insert(table.columns.begin() + 2, {"n", "standard_error", "low", "high"});
  const std::optional<Winner> winner = is_mean ? winner_of(study) : std::nullopt;
  const bool is_shrunken = winner && winner->value;
  if (is_shrunken) table.columns.insert(table.columns.begin() + kBehindMean, "shrunken");
  for (const Goal& goal : study.further) add_column(table.columns, goal.metric, kObjectivePrefix);
  const std::string test = test_metric(study);
  if (!test.empty()) add_column(table.columns, test, kMetricPrefix);
  const std::vector<std::string> names = parameter_names(study);
  add_parameters(table.columns, names);
  storage::Statement rows =
      study.query(std::string("SELECT trial, objective, ") + (is_mean ? "members, standard_error, low, high, " : "") +
                  "objective_step, epochs, seconds FROM dl_trial WHERE trial = ?");
  for (const study::Contender& one : best) {
    const std::int64_t trial = one.id.value;
    rows.bind(trial).step();
    std::vector<Json> line = cells(rows);
    if (is_shrunken) add_shrunken(line, *winner, trial);
    for (Json& value : further_values(study, trial)) line.push_back(std::move(value));
    if (!test.empty()) line.push_back(test_value(study, trial, test));
    const Json params = params_of(study, trial);
    for (const std::string& name : names) line.push_back(params.contains(name) ? params[name] : Json());
    table.rows.push_back(std::move(line));
  }
  return table;
}

}  // namespace dlrun::report
