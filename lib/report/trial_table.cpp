// SPDX-License-Identifier: Apache-2.0
// All trials of a study in one wide table: state, objectives, parameters and final metrics.
#include <map>

#include "report/column_names.hpp"
#include "report/opened.hpp"

namespace dlrun::report {

namespace {

/// Metrics of epochs by number, in the order of their names; curves by step have no value at the last epoch.
std::vector<std::pair<std::int64_t, std::string>> metrics_of(const OpenedStudy& study) {
  std::vector<std::pair<std::int64_t, std::string>> out;
  storage::Statement rows = study.query(
      "SELECT metric, name FROM dl_metric_name WHERE metric IN (SELECT metric FROM dl_metric) ORDER BY name");
  while (rows.step()) out.emplace_back(rows.integer(0), rows.text(1));
  return out;
}

constexpr const char* kTrials =
    "SELECT trial, state, objective, epochs, seconds, attempts, cause FROM v_trials ORDER BY trial";

/// Value at the last epoch of each member, the mean over the members; none where one of them is no number.
constexpr const char* kLastValues =
    "SELECT metric, iif(count(*) = count(value), avg(value), NULL) FROM (SELECT metric, value, max(step) FROM "
    "dl_metric WHERE trial = ? "
    "GROUP BY replicate, fold, metric) GROUP BY metric";

class TrialTable {
 public:
  explicit TrialTable(const OpenedStudy& study)
      : study_(study), names_(parameter_names(study)), metrics_(metrics_of(study)), last_(study.query(kLastValues)) {
    for (std::size_t i = 0; i < metrics_.size(); ++i) places_[metrics_[i].first] = i;
  }

  Table table() {
    Table out{"trials", {"trial", "state", "objective", "epochs", "seconds", "attempts", "cause"}, {}};
    for (const Goal& goal : study_.further) add_column(out.columns, objective_tag(goal.metric), "");
    add_parameters(out.columns, names_);
    for (const auto& [number, name] : metrics_) add_column(out.columns, name, kMetricPrefix);
    storage::Statement rows = study_.query(kTrials);
    while (rows.step()) out.rows.push_back(row(cells(rows), rows.integer(0)));
    return out;
  }

 private:
  std::vector<Json> row(std::vector<Json> cells, std::int64_t trial) {
    for (Json& value : further_values(study_, trial)) cells.push_back(std::move(value));
    const Json params = params_of(study_, trial);
    for (const std::string& name : names_) cells.push_back(params.contains(name) ? params[name] : Json());
    const std::size_t first = cells.size();
    cells.resize(first + metrics_.size());
    last_.bind(trial);
    while (last_.step()) cells[first + places_.at(last_.integer(0))] = cell(last_, 1);
    return cells;
  }

  const OpenedStudy& study_;
  std::vector<std::string> names_;
  std::vector<std::pair<std::int64_t, std::string>> metrics_;
  std::map<std::int64_t, std::size_t> places_;
  storage::Statement last_;
};

}  // namespace

Table trials_of(const OpenedStudy& study) { return TrialTable(study).table(); }

}  // namespace dlrun::report
