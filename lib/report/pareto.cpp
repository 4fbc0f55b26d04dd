// SPDX-License-Identifier: Apache-2.0
// Tables of a study with several objectives: the front, and how its hypervolume grew.
#include <fmt/format.h>

#include <algorithm>

#include "pareto/fronts.hpp"
#include "pareto/hypervolume.hpp"
#include "report/column_names.hpp"
#include "report/opened.hpp"
#include "trial/trial.hpp"

namespace dlrun::report {

namespace {

std::vector<Goal> goals(const OpenedStudy& study) {
  std::vector<Goal> all = {{study.metric, study.maximize, study.reference}};
  all.insert(all.end(), study.further.begin(), study.further.end());
  return all;
}

double as_cost(const Goal& goal, double value) { return goal.maximize ? -value : value; }

std::vector<pareto::Score> scores_of(const std::vector<Scored>& trials) {
  std::vector<pareto::Score> scores;
  scores.reserve(trials.size());
  for (const Scored& trial : trials) scores.push_back(trial.score);
  return scores;
}

std::vector<Scored> feasible_of(const OpenedStudy& study) {
  std::vector<Scored> trials = completed_of(study);
  std::erase_if(trials, [](const Scored& trial) { return !trial.score.is_feasible(); });
  return trials;
}

/// Reference point as the study gives it, elsewhere the worst seen; lower is better.
pareto::Point reference_of(const OpenedStudy& study, const std::vector<Scored>& trials) {
  pareto::Point reference;
  const std::vector<Goal> all = goals(study);
  for (std::size_t m = 0; m < all.size(); ++m) {
    double worst = all[m].reference ? as_cost(all[m], *all[m].reference) : trials.front().score.values[m];
    for (const Scored& trial : trials) {
      if (!all[m].reference) worst = std::max(worst, trial.score.values[m]);
    }
    reference.push_back(worst);
  }
  return reference;
}

std::string reference_text(const OpenedStudy& study, const pareto::Point& reference) {
  std::string text;
  const std::vector<Goal> all = goals(study);
  for (std::size_t m = 0; m < all.size(); ++m) {
    text += fmt::format("{}{} {:.6g}{}", m > 0 ? ", " : "", all[m].metric, as_cost(all[m], reference[m]),
                        all[m].reference ? "" : " (the worst seen)");
  }
  return text;
}

/// Calls `joined(trial, front)` for every trial that nothing before it dominates, with the points of all that stand on
/// the front; of equal ones all, as `front_of` has them.
template <class Joined>
void walk(const std::vector<Scored>& trials, Joined joined) {
  std::vector<pareto::Point> front;
  for (const Scored& trial : trials) {
    const pareto::Point& point = trial.score.values;
    const auto beats = [&](const pareto::Point& other) { return pareto::dominates(other, point); };
    if (std::any_of(front.begin(), front.end(), beats)) continue;
    std::erase_if(front, [&](const pareto::Point& other) { return pareto::dominates(point, other); });
    front.push_back(point);
    joined(trial, front);
  }
}

}  // namespace

std::string goals_of(const OpenedStudy& study) {
  std::string text;
  for (const Goal& goal : goals(study)) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", goal.metric, goal.maximize ? "highest" : "lowest");
  }
  return text;
}

std::vector<Json> further_values(const OpenedStudy& study, std::int64_t trial) {
  std::vector<Json> values(study.further.size());
  if (values.empty()) return values;
  storage::Statement rows = study.query(
      "SELECT objective, value FROM dl_value WHERE trial = ?1 AND (SELECT objective FROM dl_trial WHERE trial = ?1) IS "
      "NOT NULL");  // a trial that failed later has none
  rows.bind(trial);
  while (rows.step()) values[std::size_t(rows.integer(0)) - 1] = cell(rows, 1);
  return values;
}

double violation_of(const OpenedStudy& study, std::int64_t trial) {
  if (!study.has_bounds) return 0;
  storage::Statement row = study.query("SELECT coalesce(violation, 0) FROM dl_trial WHERE trial = ?");
  return row.bind(trial).step() ? row.real(0) : 0;
}

std::vector<Scored> completed_of(const OpenedStudy& study) {
  const std::vector<Goal> all = goals(study);
  std::vector<Scored> out;
  storage::Statement rows = study.query(fmt::format(
      "SELECT t.trial, t.objective, {}, v.objective, v.value FROM dl_trial t LEFT JOIN dl_value v ON v.trial = t.trial "
      "WHERE t.state = {} AND t.objective IS NOT NULL ORDER BY t.trial, v.objective",
      study.has_bounds ? "coalesce(t.violation, 0)" : "0", int(trial::TrialState::completed)));
  while (rows.step()) {
    if (out.empty() || out.back().trial != rows.integer(0)) {
      out.push_back({rows.integer(0), {rows.real(1)}, {{as_cost(all[0], rows.real(1))}, rows.real(2)}});
    }
    if (rows.is_null(3)) continue;
    out.back().values.push_back(rows.real(4));
    out.back().score.values.push_back(as_cost(all[out.back().score.values.size()], rows.real(4)));
  }
  return out;
}

std::vector<Scored> front_scores(const OpenedStudy& study) {
  const std::vector<Scored> trials = feasible_of(study);
  std::vector<Scored> front;
  for (const std::size_t i : pareto::front_of(scores_of(trials))) front.push_back(trials[i]);
  std::stable_sort(front.begin(), front.end(),
                   [](const Scored& a, const Scored& b) { return a.score.values < b.score.values; });
  return front;
}

Table front_of(const OpenedStudy& study) {
  const std::vector<Scored> front = front_scores(study);
  Table table{"", {"trial"}, {}};
  for (const Goal& goal : goals(study)) add_column(table.columns, goal.metric, kObjectivePrefix);
  const std::vector<std::string> names = parameter_names(study);
  add_parameters(table.columns, names);
  for (const Scored& trial : front) {
    std::vector<Json> line = {trial.trial};
    line.insert(line.end(), trial.values.begin(), trial.values.end());
    const Json params = params_of(study, trial.trial);
    for (const std::string& name : names) line.push_back(params.contains(name) ? params[name] : Json());
    table.rows.push_back(std::move(line));
  }
  const std::vector<Scored> trials = completed_of(study);
  table.title = fmt::format("front by {}: {} of {} completed trials", goals_of(study), front.size(), trials.size());
  const auto infeasible =
      std::count_if(trials.begin(), trials.end(), [](const Scored& trial) { return !trial.score.is_feasible(); });
  if (infeasible > 0) table.title += fmt::format(", {} infeasible", infeasible);
  return table;
}

Table hypervolume_of(const OpenedStudy& study) {
  const std::vector<Scored> trials = feasible_of(study);
  Table table{"hypervolume", {"trial", "hypervolume", "front"}, {}};
  if (trials.empty()) return table;
  const pareto::Point reference = reference_of(study, trials);
  table.title = "hypervolume up to " + reference_text(study, reference);
  walk(trials, [&](const Scored& trial, const std::vector<pareto::Point>& front) {
    table.rows.push_back({trial.trial, pareto::hypervolume(front, reference), front.size()});
  });
  return table;
}

Table joining_of(const OpenedStudy& study) {
  Table table{"progress by " + goals_of(study), {"trial", "objective"}, {}};
  for (const Goal& goal : study.further) add_column(table.columns, goal.metric, kObjectivePrefix);
  add_column(table.columns, "front", "");
  walk(feasible_of(study), [&](const Scored& trial, const std::vector<pareto::Point>& front) {
    std::vector<Json> line = {trial.trial};
    line.insert(line.end(), trial.values.begin(), trial.values.end());
    line.emplace_back(front.size());
    table.rows.push_back(std::move(line));
  });
  return table;
}

}  // namespace dlrun::report
