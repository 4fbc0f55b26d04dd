// SPDX-License-Identifier: Apache-2.0
#include "optuna/source.hpp"

#include <cstdlib>

#include "storage/sqlite.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::optuna {

using storage::Database;
using storage::OptunaNumber;
using storage::OptunaStudy;
using storage::OptunaTrial;
using storage::Statement;

namespace {

constexpr std::string_view kRevision = "v3.2.0.a";

/// SQL for milliseconds since 1970.
std::string ms_of(const std::string& column) {
  return "CAST(round((julianday(" + column + ") - 2440587.5) * 86400000) AS INTEGER)";
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why, const std::string& help) {
  throw Error(ErrorKind::usage, "'" + file.string() + "' " + why, help, file.string());
}

/// @throws Error(usage) for another file, or another revision of the tables
void require_optuna(Database& database, const std::filesystem::path& given) {
  Statement table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'");
  if (!table.step()) refuse(given, "is no database of Optuna's", "name the file behind sqlite:///");
  const std::string found = database.text("SELECT coalesce(max(version_num), 'none') FROM alembic_version");
  if (found == kRevision) return;
  refuse(given, "has revision " + found + " of Optuna's tables, and dlrun reads " + std::string(kRevision),
         "`optuna storage upgrade --storage sqlite:///" + given.string() + "` brings it there");
}

std::vector<std::string> names_in(Database& database) {
  std::vector<std::string> names;
  Statement rows = database.prepare("SELECT study_name FROM studies ORDER BY study_id");
  while (rows.step()) names.emplace_back(rows.text(0));
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 10;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) text += (i == 0 ? "'" : ", '") + names[i] + "'";
  return names.size() > kMost ? text + ", …" : text;
}

std::string chosen_name(Database& database, const std::filesystem::path& file, const std::string& wanted) {
  const std::vector<std::string> names = names_in(database);
  if (names.empty()) refuse(file, "holds no study", "");
  if (wanted.empty() && names.size() == 1) return names.front();
  if (wanted.empty())
    refuse(file, "holds " + std::to_string(names.size()) + " studies: " + listed(names), "name one with --study");
  for (const std::string& name : names) {
    if (name == wanted) return name;
  }
  const std::string near = nearest_name(wanted, names);
  throw Error(ErrorKind::not_found, "'" + file.string() + "' has no study '" + wanted + "'",
              near.empty() ? "it has " + listed(names) : "did you mean '" + near + "'?");
}

/// Reads the rows of one study, at one moment.
class Reader {
 public:
  Reader(Database& database, const std::string& name) : database_(database) {
    Statement row = database_.prepare("SELECT study_id FROM studies WHERE study_name = ?");
    row.bind(name).step();
    id_ = row.integer(0);
    study_.name = name;
  }

  OptunaStudy read() {
    read_directions();
    read_trials();
    read_params();
    read_numbers("SELECT trial_id, objective, value, value_type FROM trial_values", &OptunaTrial::values);
    read_numbers("SELECT trial_id, step, intermediate_value, intermediate_value_type FROM trial_intermediate_values",
                 &OptunaTrial::intermediate);
    for (const bool is_system : {false, true}) {
      read_attributes(is_system);
      read_trial_attributes(is_system);
    }
    return std::move(study_);
  }

 private:
  Statement rows_of(const std::string& sql) {
    Statement rows = database_.prepare(sql);
    rows.bind(id_);
    return rows;
  }

  /// The trial of a row; null: of another study.
  OptunaTrial* trial_of(const Statement& row) {
    const auto found = numbers_.find(row.integer(0));
    return found == numbers_.end() ? nullptr : &study_.trials[std::size_t(found->second)];
  }

  void read_directions() {
    Statement rows = rows_of("SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective");
    while (rows.step()) study_.directions.emplace_back(rows.text(0));
  }

  void read_trials() {
    Statement rows =
        rows_of("SELECT trial_id, state, datetime_start, datetime_complete, " + ms_of("datetime_start") + ", " +
                ms_of("datetime_complete") + " FROM trials WHERE study_id = ? ORDER BY number, trial_id");
    while (rows.step()) {
      numbers_.emplace(rows.integer(0), std::int64_t(study_.trials.size()));
      OptunaTrial trial{.state = std::string(rows.text(1))};
      if (!rows.is_null(2)) trial.started = rows.text(2);
      if (!rows.is_null(3)) trial.completed = rows.text(3);
      if (!rows.is_null(4)) trial.started_ms = rows.integer(4);
      if (!rows.is_null(5)) trial.completed_ms = rows.integer(5);
      study_.trials.push_back(std::move(trial));
    }
  }

  void read_params() {
    Statement rows = database_.prepare(
        "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params "
        "ORDER BY param_id");
    while (rows.step()) {
      OptunaTrial* trial = trial_of(rows);
      if (trial != nullptr)
        trial->params.push_back({std::string(rows.text(1)), rows.real(2), std::string(rows.text(3))});
    }
  }

  void read_numbers(const char* sql, std::map<std::int64_t, OptunaNumber> OptunaTrial::*where) {
    Statement rows = database_.prepare(sql);
    while (rows.step()) {
      OptunaTrial* trial = trial_of(rows);
      if (trial == nullptr) continue;
      OptunaNumber number{{}, std::string(rows.text(3))};
      if (!rows.is_null(2)) number.value = rows.real(2);
      (trial->*where).emplace(rows.integer(1), std::move(number));
    }
  }

  void read_attributes(bool is_system) {
    const std::string table = is_system ? "study_system_attribute" : "study_user_attribute";
    Statement rows = rows_of("SELECT key, value_json FROM " + table + "s WHERE study_id = ? ORDER BY " + table + "_id");
    while (rows.step())
      study_.attributes.push_back({is_system, renumbered(std::string(rows.text(0))), std::string(rows.text(1))});
  }

  void read_trial_attributes(bool is_system) {
    const std::string table = is_system ? "trial_system_attribute" : "trial_user_attribute";
    Statement rows =
        database_.prepare("SELECT trial_id, key, value_json FROM " + table + "s ORDER BY " + table + "_id");
    while (rows.step()) {
      OptunaTrial* trial = trial_of(rows);
      if (trial != nullptr)
        trial->attributes.push_back({is_system, std::string(rows.text(1)), std::string(rows.text(2))});
    }
  }

  /// "dashboard:117:note_ver" with the trial's number.
  std::string renumbered(const std::string& key) const {
    constexpr std::string_view kBegin = "dashboard:";
    if (key.rfind(kBegin, 0) != 0) return key;
    char* end = nullptr;
    const std::int64_t id = std::strtoll(key.c_str() + kBegin.size(), &end, 10);
    const auto found = *end == ':' ? numbers_.find(id) : numbers_.end();
    if (found == numbers_.end()) return key;
    return std::string(kBegin) + std::to_string(found->second) + end;
  }

  Database& database_;
  std::int64_t id_ = 0;
  OptunaStudy study_;
  std::map<std::int64_t, std::int64_t> numbers_;  ///< by the id of Optuna
};

}  // namespace

OptunaStudy read_study(const std::filesystem::path& file, const std::string& name) {
  if (!std::filesystem::is_regular_file(file)) refuse(file, "is no file", "name the file behind sqlite:///");
  try {
    Database database(std::filesystem::canonical(file), Database::Mode::read);
    database.run("BEGIN");
    require_optuna(database, file);
    OptunaStudy study = Reader(database, chosen_name(database, file, name)).read();
    database.run("COMMIT");
    return study;
  } catch (const Error& fault) {
    if (fault.kind() != ErrorKind::store) throw;
    refuse(file, "cannot be read as a database of Optuna's: " + std::string(fault.what()), "");
  }
}

}  // namespace dlrun::optuna
