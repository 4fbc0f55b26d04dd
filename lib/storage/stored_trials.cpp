// SPDX-License-Identifier: Apache-2.0
#include "storage/stored_trials.hpp"

#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/schema.hpp"
#include "util/error.hpp"

namespace dlrun::storage {

namespace {

constexpr int kObjectivesSchema = 4;  ///< 0004_objectives: before it there is one objective and no bound

space::Value value_of(Statement& row, int column, space::Type type) {
  if (type == space::Type::real) return row.real(column);
  if (type == space::Type::integer) return row.integer(column);
  return space::Choice{static_cast<std::uint32_t>(row.integer(column))};
}

/// @throws Error(store) if a row names a trial that is not there
StoredTrial& trial_of(std::vector<StoredTrial>& trials, std::int64_t number) {
  if (number >= 0 && number < std::int64_t(trials.size())) return trials[std::size_t(number)];
  throw Error(ErrorKind::store, "rows name trial " + std::to_string(number) + ", which is not there");
}

void read_values(Database& database, const space::Space& space, std::vector<StoredTrial>& trials) {
  Statement rows = database.prepare("SELECT trial, parameter, value FROM dl_param ORDER BY trial, parameter");
  while (rows.step()) {
    const auto parameter = static_cast<std::size_t>(rows.integer(1));
    trial_of(trials, rows.integer(0)).values.at(parameter) = value_of(rows, 2, space.parameters().at(parameter).type);
  }
}

void read_further(Database& database, std::vector<StoredTrial>& trials) {
  Statement rows = database.prepare("SELECT trial, value FROM dl_value ORDER BY trial, objective");
  while (rows.step()) {
    StoredTrial& trial = trial_of(trials, rows.integer(0));
    if (!trial.objectives.empty()) trial.objectives.push_back(rows.real(1));
  }
  Statement bounds = database.prepare("SELECT trial, violation FROM dl_trial WHERE violation IS NOT NULL");
  while (bounds.step()) trial_of(trials, bounds.integer(0)).violation = bounds.real(1);
}

}  // namespace

std::vector<StoredTrial> read_trials(const std::filesystem::path& folder, const std::string& name,
                                     const space::Space& space) {
  const auto database = open_for_reading(study_file(folder, name, ".db"));
  database->run("BEGIN");
  std::vector<StoredTrial> trials;
  Statement rows = database->prepare("SELECT trial, state, objective, epochs FROM dl_trial ORDER BY trial");
  while (rows.step()) {
    StoredTrial trial{.number = rows.integer(0), .state = static_cast<trial::TrialState>(rows.integer(1))};
    trial.values.resize(space.size());
    if (!rows.is_null(2)) trial.objectives.push_back(rows.real(2));
    trial.steps = rows.integer(3);
    trials.push_back(std::move(trial));
  }
  read_values(*database, space, trials);
  if (schema_of(*database) >= kObjectivesSchema) read_further(*database, trials);
  return trials;
}

}  // namespace dlrun::storage
