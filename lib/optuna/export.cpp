// SPDX-License-Identifier: Apache-2.0
#include "optuna/export.hpp"

#include <unistd.h>

#include <system_error>

#include "optuna/tables.hpp"
#include "storage/moving.hpp"
#include "storage/sqlite.hpp"
#include "storage/staging.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::optuna {

namespace fs = std::filesystem;
using storage::Database;

namespace {

/// Copies one study of the attached file `source`. ?1 is its id here, ?2 what its trials' ids gain. Keys of the
/// dashboard's notes hold the id of their trial: dashboard:17:note_ver.
constexpr const char* kCopies[] = {
    "INSERT INTO main.studies SELECT ?1, study_name FROM source.studies",
    "INSERT INTO main.study_directions SELECT NULL, direction, ?1, objective FROM source.study_directions "
    "ORDER BY study_direction_id",
    "INSERT INTO main.study_user_attributes SELECT NULL, ?1, \"key\", value_json FROM source.study_user_attributes "
    "ORDER BY study_user_attribute_id",
    "INSERT INTO main.study_system_attributes SELECT NULL, ?1, iif(\"key\" GLOB 'dashboard:[0-9]*:*', 'dashboard:' || "
    "(CAST(substr(\"key\", 11) AS INTEGER) + ?2) || substr(\"key\", 10 + instr(substr(\"key\", 11), ':')), \"key\"), "
    "value_json FROM source.study_system_attributes ORDER BY study_system_attribute_id",
    "INSERT INTO main.trials SELECT trial_id + ?2, number, ?1, state, datetime_start, datetime_complete "
    "FROM source.trials ORDER BY trial_id",
    "INSERT INTO main.trial_user_attributes SELECT NULL, trial_id + ?2, \"key\", value_json "
    "FROM source.trial_user_attributes ORDER BY trial_user_attribute_id",
    "INSERT INTO main.trial_system_attributes SELECT NULL, trial_id + ?2, \"key\", value_json "
    "FROM source.trial_system_attributes ORDER BY trial_system_attribute_id",
    "INSERT INTO main.trial_params SELECT NULL, trial_id + ?2, param_name, param_value, distribution_json "
    "FROM source.trial_params ORDER BY param_id",
    "INSERT INTO main.trial_values SELECT NULL, trial_id + ?2, objective, value, value_type FROM source.trial_values "
    "ORDER BY trial_value_id",
    "INSERT INTO main.trial_intermediate_values SELECT NULL, trial_id + ?2, step, intermediate_value, "
    "intermediate_value_type FROM source.trial_intermediate_values ORDER BY trial_intermediate_value_id",
};

void require_views(Database& database, const std::string& study) {
  storage::Statement view =
      database.prepare("SELECT 1 FROM source.sqlite_master WHERE type = 'view' AND name = 'trials'");
  if (view.step()) return;
  throw Error(ErrorKind::store, "Optuna keeps studies of its own in the file of study '" + study + "'",
              "move them to another file with optuna.copy_study, then delete them here with optuna.delete_study");
}

void copy_rows(Database& database, std::int64_t study) {
  const std::int64_t gain = database.integer("SELECT coalesce(max(trial_id), 0) + 1 FROM main.trials");
  for (const char* copy : kCopies) {
    storage::Statement statement = database.prepare(copy);
    statement.bind(study);
    if (std::string_view(copy).find("?2") != std::string_view::npos) statement.set(2, gain);
    statement.step();
  }
}

/// Adds a study. ATTACH is no part of a transaction, so each study has one of its own.
void add_study(Database& database, const fs::path& store, const std::string& name, std::int64_t number) {
  const storage::Staging staging(store);
  const fs::path rows = staging.path() / "rows.db";
  storage::copy_study(store, name, rows);
  database.prepare("ATTACH ? AS source").run(storage::file_uri(rows, "?mode=ro"));
  require_views(database, name);
  database.run("BEGIN");
  copy_rows(database, number);
  database.run("COMMIT; DETACH source;");
}

Exported write(const fs::path& store, const std::vector<std::string>& studies, const fs::path& draft) {
  write_file(draft, "", {.durable = false, .mode = 0644});
  Database database(draft, Database::Mode::write);
  database.run("PRAGMA journal_mode=OFF; PRAGMA synchronous=FULL;");  // no reader sees the draft
  database.run(kTables);
  for (std::size_t i = 0; i < studies.size(); ++i) add_study(database, store, studies[i], std::int64_t(i) + 1);
  Exported out;
  out.trials = database.integer("SELECT count(*) FROM trials");
  out.open = database.integer("SELECT count(*) FROM trials WHERE state IN ('RUNNING', 'WAITING')");
  database.close();
  return out;
}

}  // namespace

Exported export_studies(const fs::path& store, const std::vector<std::string>& studies, const fs::path& file) {
  // SQLite opens no path through links.
  const fs::path target = fs::canonical(fs::absolute(file).parent_path()) / file.filename();
  const fs::path draft = target.string() + ".tmp" + std::to_string(::getpid());
  try {
    const Exported out = write(store, studies, draft);
    move_file(draft, target);
    return out;
  } catch (...) {
    std::error_code none;
    fs::remove(draft, none);
    throw;
  }
}

}  // namespace dlrun::optuna
