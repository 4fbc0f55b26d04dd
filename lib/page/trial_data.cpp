// SPDX-License-Identifier: Apache-2.0
#include "page/trial_data.hpp"

#include <cmath>
#include <map>

#include "page/numbers.hpp"
#include "trial/trial.hpp"

namespace dlrun::page {

namespace {

using report::OpenedStudy;

constexpr int kStates = 7;

Json number_at(storage::Statement& row, int column) {
  return row.is_null(column) ? Json() : data_number(row.real(column));
}

Json lists(std::size_t count) { return Json(count, Json::array()); }

/// Index of each parameter among those that vary, by its number in the study.
std::map<std::int64_t, std::size_t> places_of(const OpenedStudy& study) {
  std::map<std::int64_t, std::size_t> places;
  storage::Statement rows =
      study.query("SELECT parameter FROM dl_parameter WHERE type <> 'constant' ORDER BY parameter");
  while (rows.step()) places.emplace(rows.integer(0), places.size());
  return places;
}

/// Fills in the columns of dl_trial. @return the place of each trial in the lists
std::map<std::int64_t, std::size_t> add_trials(const OpenedStudy& study, Json& out) {
  std::map<std::int64_t, std::size_t> places;
  const std::string feasible = study.has_bounds ? "coalesce(violation, 0) <= 0" : "1";  // older files have no violation
  storage::Statement rows = study.query("SELECT trial, state, epochs, seconds, attempts, objective, " + feasible +
                                        " FROM dl_trial ORDER BY trial");
  while (rows.step()) {
    places.emplace(rows.integer(0), places.size());
    out["number"].push_back(rows.integer(0));
    out["state"].push_back(rows.integer(1));
    out["epochs"].push_back(rows.integer(2));
    out["seconds"].push_back(number_at(rows, 3));
    out["attempts"].push_back(rows.integer(4));
    out["objectives"][0].push_back(number_at(rows, 5));
    if (study.has_bounds) out["feasible"].push_back(rows.integer(6));
  }
  return places;
}

}  // namespace

Json objectives_json(const OpenedStudy& study) {
  const auto one = [](const std::string& metric, bool maximize) {
    return Json{{"name", metric}, {"direction", maximize ? "maximize" : "minimize"}};
  };
  Json all = Json::array({one(study.metric, study.maximize)});
  for (const report::Goal& goal : study.further) all.push_back(one(goal.metric, goal.maximize));
  return all;
}

Json parameters_json(const OpenedStudy& study) {
  Json all = Json::array();
  storage::Statement rows = study.query(
      "SELECT name, type, log, low, high, choices FROM dl_parameter WHERE type <> 'constant' ORDER BY parameter");
  while (rows.step()) {
    Json one{{"name", rows.text(0)}, {"type", rows.text(1)}, {"scale", rows.integer(2) != 0 ? "log" : "linear"}};
    if (!rows.is_null(3)) one["low"] = number_at(rows, 3);
    if (!rows.is_null(4)) one["high"] = number_at(rows, 4);
    if (!rows.is_null(5)) one["choices"] = parse_json(rows.text(5), "the choices of a parameter");
    all.push_back(std::move(one));
  }
  return all;
}

Json states_json() {
  Json all = Json::array();
  for (int i = 0; i < kStates; ++i) all.push_back(trial::to_string(static_cast<trial::TrialState>(i)));
  return all;
}

Json trials_json(const OpenedStudy& study) {
  const std::map<std::int64_t, std::size_t> columns = places_of(study);
  Json out;
  for (const char* column : {"number", "state", "epochs", "seconds", "attempts"}) out[column] = Json::array();
  if (study.has_bounds) out["feasible"] = Json::array();
  out["objectives"] = lists(1 + study.further.size());
  const std::map<std::int64_t, std::size_t> places = add_trials(study, out);
  out["params"] = Json(columns.size(), Json(places.size(), nullptr));
  for (std::size_t i = 1; i <= study.further.size(); ++i) out["objectives"][i] = Json(places.size(), nullptr);
  storage::Statement values = study.query("SELECT trial, parameter, value FROM dl_param");
  auto place = places.begin();
  while (values.step()) {
    const std::int64_t trial = values.integer(0);
    if (place == places.end() || place->first != trial) place = places.find(trial);
    const auto column = columns.find(values.integer(1));
    if (place == places.end() || column == columns.end()) continue;
    out["params"][column->second][place->second] = number_at(values, 2);
  }
  if (study.further.empty()) return out;
  storage::Statement further = study.query(
      "SELECT v.trial, v.objective, v.value FROM dl_value v JOIN dl_trial t USING (trial) WHERE t.objective IS NOT "
      "NULL");
  while (further.step()) {
    const auto place = places.find(further.integer(0));
    if (place != places.end())
      out["objectives"][std::size_t(further.integer(1))][place->second] = number_at(further, 2);
  }
  return out;
}

std::int64_t count_trials(const OpenedStudy& study) { return study.database->integer("SELECT count(*) FROM dl_trial"); }

}  // namespace dlrun::page
