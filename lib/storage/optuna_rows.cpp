// SPDX-License-Identifier: Apache-2.0
#include "storage/optuna_rows.hpp"

#include <cmath>
#include <limits>

#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/schema.hpp"
#include "storage/sqlite.hpp"
#include "util/error.hpp"

namespace dlrun::storage {

namespace {

/// Writes one study's rows, all in one transaction of the caller.
class Keeper {
 public:
  explicit Keeper(Database& database)
      : attribute_(database.prepare("INSERT INTO dl_optuna_attribute VALUES (?, ?, ?, ?, ?)")),
        trial_(database.prepare("INSERT INTO dl_optuna_trial VALUES (?, ?, ?, ?)")),
        param_(database.prepare("INSERT INTO dl_optuna_param VALUES (?, ?, ?, ?, ?)")),
        value_(database.prepare("INSERT INTO dl_optuna_value VALUES (?, ?, ?, ?)")),
        step_(database.prepare("INSERT INTO dl_optuna_step VALUES (?, ?, ?, ?)")),
        times_(database.prepare("UPDATE dl_trial SET started = ?2, finished = ?3 WHERE trial = ?1")),
        attempt_times_(database.prepare("UPDATE dl_attempt SET started = ?2, finished = ?3 WHERE trial = ?1")) {}

  void add_attribute(std::int64_t trial, const OptunaAttribute& attribute) {
    attribute_.run(trial, attribute.is_system, attribute.name, attribute.value, place_++);
  }

  void add_trial(std::int64_t number, const OptunaTrial& trial) {
    trial_.run(number, trial.state, trial.started, trial.completed);
    times_.run(number, trial.started_ms, trial.completed_ms);
    attempt_times_.run(number, trial.started_ms, trial.completed_ms);
    for (const OptunaAttribute& attribute : trial.attributes) add_attribute(number, attribute);
    std::int64_t place = 0;
    for (const OptunaParam& p : trial.params) param_.run(number, place++, p.name, p.value, p.distribution);
    for (const auto& [objective, n] : trial.values) value_.run(number, objective, n.value, n.kind);
    for (const auto& [step, n] : trial.intermediate) step_.run(number, step, n.value, n.kind);
  }

 private:
  Statement attribute_, trial_, param_, value_, step_, times_, attempt_times_;
  std::int64_t place_ = 0;
};

void keep(Database& database, const OptunaStudy& study) {
  constexpr std::int64_t kStudy = -1;
  database.prepare("INSERT INTO dl_optuna_study VALUES (1, ?)").run(study.name);
  Statement direction = database.prepare("INSERT INTO dl_optuna_direction VALUES (?, ?)");
  std::int64_t objective = 0;
  for (const std::string& word : study.directions) direction.run(objective++, word);
  Keeper keeper(database);
  for (const OptunaAttribute& attribute : study.attributes) keeper.add_attribute(kStudy, attribute);
  std::int64_t number = 0;
  for (const OptunaTrial& trial : study.trials) keeper.add_trial(number++, trial);
  database.run(
      "UPDATE dl_study SET started = (SELECT min(started) FROM dl_trial), "
      "finished = (SELECT max(finished) FROM dl_trial)");
}

}  // namespace

double OptunaNumber::as_double() const {
  if (kind == "INF_POS") return std::numeric_limits<double>::infinity();
  if (kind == "INF_NEG") return -std::numeric_limits<double>::infinity();
  return value && kind == "FINITE" ? *value : std::nan("");
}

void keep_optuna_rows(const std::filesystem::path& file, const OptunaStudy& study) {
  Database database(file, Database::Mode::write);
  database.run("BEGIN");
  keep(database, study);
  database.run("COMMIT");
  database.close();
}

bool is_from_optuna(const std::filesystem::path& folder, const std::string& name) {
  constexpr int kSince = 20;  // schema
  const auto database = open_for_reading(study_file(folder, name, ".db"));
  return schema_of(*database) >= kSince && database->integer("SELECT count(*) FROM dl_optuna_study") > 0;
}

void require_own_study(const std::filesystem::path& folder, const std::string& name) {
  if (!is_from_optuna(folder, name)) return;
  throw Error(ErrorKind::usage, "study '" + name + "' was carried out by Optuna: dlrun cannot continue it",
              "a new study learns from it by `search: {learn_from: [" + name + "]}`");
}

}  // namespace dlrun::storage
