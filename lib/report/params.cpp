// SPDX-License-Identifier: Apache-2.0
// The parameters of trials: their values as the spec has them, and what they had to do with the objective.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ablation/cells.hpp"
#include "ablation/plan_json.hpp"
#include "report/correlation.hpp"
#include "report/opened.hpp"
#include "trial/runner.hpp"

namespace dlrun::report {

namespace {

constexpr std::int64_t kSample = 5'000;  ///< trials a correlation looks at: its standard error is 0.014 then

/// A stored value typed as in the spec: the choice itself, an integer, or a number.
Json typed(storage::Statement& row, int value, int type, int choices) {
  if (!row.is_null(choices)) {
    const Json list = Json::parse(row.text(choices), nullptr, false);
    const auto index = std::size_t(row.integer(value));
    return list.is_array() && index < list.size() ? list[index] : Json();
  }
  if (row.text(type) == "int") return row.integer(value);
  return row.real(value);
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

/// Choices that a constraint forbids by themselves: an amendment gives them up in that way.
std::vector<Json> given_up(const Json& spec, const std::string& parameter) {
  std::vector<Json> choices;
  const Json constraints = spec.value("constraints", Json::array());
  for (const Json& constraint : constraints) {
    const Json forbidden = constraint.is_object() ? constraint.value("forbid", Json()) : Json();
    if (!forbidden.is_object() || forbidden.size() != 1 || !forbidden.contains(parameter)) continue;
    const Json& values = forbidden[parameter];
    choices.insert(choices.end(), values.begin(), values.end());
  }
  return choices;
}

/// "0.0001 … 0.1, log", "32 … 256, step 32", "sgd | adam".
std::string domain(storage::Statement& row, const Json& spec) {
  if (!row.is_null(6)) {
    std::string text;
    const std::vector<Json> without = given_up(spec, std::string(row.text(0)));
    const Json choices = Json::parse(row.text(6), nullptr, false);
    for (const Json& choice : choices) {
      if (std::find(without.begin(), without.end(), choice) != without.end()) continue;
      text += (text.empty() ? "" : " | ") + (choice.is_string() ? choice.get<std::string>() : to_text(choice));
    }
    return text;
  }
  std::string text = number(row.real(2)) + " … " + number(row.real(3));
  if (row.integer(5) != 0) text += ", log";
  if (!row.is_null(4)) text += ", step " + number(row.real(4));
  return text;
}

/// Objective and values of every `stride`-th trial that completed, by parameter: one pass over the trials.
std::map<std::int64_t, Pairs> sample(const OpenedStudy& study, std::int64_t stride) {
  std::map<std::int64_t, Pairs> sampled;
  storage::Statement trials =
      study.query("SELECT trial, objective FROM dl_trial WHERE state = 3 AND objective IS NOT NULL AND trial % ? = 0");
  storage::Statement values = study.query("SELECT parameter, value FROM dl_param WHERE trial = ?");
  trials.bind(stride);
  while (trials.step()) {
    values.bind(trials.integer(0));
    while (values.step()) {
      Pairs& pairs = sampled[values.integer(0)];
      pairs.x.push_back(values.real(1));
      pairs.y.push_back(trials.real(1));
    }
  }
  return sampled;
}

std::int64_t completed_trials(const OpenedStudy& study) {
  return study.database->integer("SELECT count(*) FROM dl_trial WHERE state = 3 AND objective IS NOT NULL");
}

/// A categorical's order means nothing, a constant's does not exist.
Json correlation(const Pairs& pairs, std::string_view type) {
  if (type == "categorical" || type == "constant") return nullptr;
  const std::optional<double> rho = spearman(pairs);
  if (!rho) return nullptr;
  return *rho;
}

}  // namespace

Json params_of(const OpenedStudy& study, std::int64_t number) {
  storage::Statement rows = study.query(
      "SELECT q.name, p.value, q.type, q.choices FROM dl_param p JOIN dl_parameter q ON q.parameter = p.parameter "
      "WHERE p.trial = ? ORDER BY p.parameter");
  rows.bind(number);
  Json params = Json::object();
  while (rows.step()) params[std::string(rows.text(0))] = typed(rows, 1, 2, 3);
  return params;
}

Json config_of(const OpenedStudy& study, std::int64_t number) {
  require_trial(study, number);
  const Json spec = study.spec();
  const Json params = params_of(study, number);
  const auto plan = ablation::plan_of(spec);
  const auto seed = spec.value("seed", std::uint64_t(0));
  Json sets = plan ? ablation::variant_edits(*plan, params.value(ablation::kVariant, Json())) : Json::object();
  if (plan && params.contains(ablation::kReplicate))
    sets.update(ablation::replicate_edits(*plan, seed, params[ablation::kReplicate]));
  storage::Statement places = study.query("SELECT name, place FROM dl_parameter WHERE place <> ''");
  while (places.step()) {
    const std::string name(places.text(0));
    if (params.contains(name)) sets[std::string(places.text(1))] = params[name];
  }
  if (plan) sets.update(ablation::tuning_edits(*plan, seed, params.value(ablation::kTuning, Json())));
  return trial::configured(spec.value("trial", Json::object()), sets);
}

Table parameters_of(const OpenedStudy& study) {
  const std::int64_t completed = completed_trials(study);
  const std::int64_t stride = completed / kSample + 1;
  Table table{"parameters", {"parameter", "type", "domain", "best", "correlation", "place"}, {}};
  if (stride > 1) table.title += fmt::format(" (correlation: one trial in {})", stride);
  const std::map<std::int64_t, Pairs> sampled = sample(study, stride);
  const Table best = best_of(study, 1);
  const Json params = best.rows.empty() ? Json::object() : params_of(study, best.rows[0][0].get<std::int64_t>());
  const Json spec = study.spec();
  storage::Statement rows = study.query(
      "SELECT name, type, low, high, step, log, choices, place, parameter FROM dl_parameter ORDER BY parameter");
  while (rows.step()) {
    const std::string name(rows.text(0));
    const auto pairs = sampled.find(rows.integer(8));
    table.rows.push_back(
        {name, std::string(rows.text(1)), domain(rows, spec), params.contains(name) ? params[name] : Json(),
         pairs == sampled.end() ? Json() : correlation(pairs->second, rows.text(1)), std::string(rows.text(7))});
  }
  return table;
}

}  // namespace dlrun::report
