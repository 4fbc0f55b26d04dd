// SPDX-License-Identifier: Apache-2.0
#include "storage/schema.hpp"

#include <sqlite3.h>

#include "storage/clock.hpp"
#include "storage/codec.hpp"
#include "trial/trial.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::storage {

namespace {

bool has_table(Database& database, std::string_view name) {
  Statement statement = database.prepare("SELECT 1 FROM sqlite_master WHERE name = ?");
  return statement.bind(name).step();
}

[[noreturn]] void refuse_newer(const Database& database, int found, int known) {
  throw Error(ErrorKind::store,
              "'" + database.path().string() + "' has schema " + std::to_string(found) +
                  ", but this dlrun knows up to schema " + std::to_string(known),
              "use the dlrun that wrote it, or a newer one", database.path().string());
}

/// A copy by SQLite's own backup: consistent whatever stands in the WAL.
void back_up(Database& database, int version) {
  const std::string copy = database.path().string() + ".v" + std::to_string(version);
  write_file(copy, "");  // private, before SQLite sees it
  Database target(copy, Database::Mode::write);
  sqlite3_backup* backup = sqlite3_backup_init(target.handle(), "main", database.handle(), "main");
  if (backup == nullptr) target.fail(sqlite3_errcode(target.handle()), "copying to");
  sqlite3_backup_step(backup, -1);
  const int code = sqlite3_backup_finish(backup);
  if (code != SQLITE_OK) target.fail(code, "copying to");
}

void add_word(Statement& insert, const char* family, int number, std::string_view word) {
  insert.run(family, number, word);
}

/// Names of the numbers that rows hold, for the views.
void write_words(Database& database) {
  Statement insert = database.prepare("INSERT OR REPLACE INTO dl_word VALUES (?, ?, ?)");
  for (int i = 0; i <= int(trial::Cause::driver_lost); ++i) {
    add_word(insert, "cause", i, trial::to_string(static_cast<trial::Cause>(i)));
  }
  for (int i = 0; i <= int(study::DecisionKind::amend); ++i) {
    add_word(insert, "decision", i, to_string(static_cast<study::DecisionKind>(i)));
  }
  for (const auto& [kind, word] : log_kind_names()) add_word(insert, "log", int(kind), word);
}

void drop_views(Database& database) {
  std::string drops;
  {
    Statement list = database.prepare("SELECT name FROM sqlite_master WHERE type = 'view' AND name GLOB 'v_*'");
    while (list.step()) drops += "DROP VIEW \"" + std::string(list.text(0)) + "\";";
  }
  database.run(drops);
}

void apply_step(Database& database, int version, const std::vector<Migration>& sql) {
  database.run("BEGIN IMMEDIATE");
  try {
    database.run("CREATE TABLE IF NOT EXISTS dl_schema (version INTEGER PRIMARY KEY, step TEXT, applied TEXT)");
    const Migration& step = sql[std::size_t(version - 1)];
    database.run(step.sql);
    drop_views(database);
    if (version == current_schema(sql)) database.run(sql.back().sql);
    write_words(database);
    database.prepare("INSERT INTO dl_schema VALUES (?, ?, ?)").run(version, step.name, to_iso(now_ms()));
    database.run("COMMIT");
  } catch (...) {
    sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

}  // namespace

int current_schema(const std::vector<Migration>& sql) { return int(sql.size()) - 1; }

int schema_of(Database& database) {
  if (!has_table(database, "dl_schema")) return 0;
  return int(database.integer("SELECT coalesce(max(version), 0) FROM dl_schema"));
}

void require_readable(Database& database) {
  const int version = schema_of(database);
  if (version > current_schema()) refuse_newer(database, version, current_schema());
  if (version > 0) return;
  throw Error(ErrorKind::store, "'" + database.path().string() + "' is no study of dlrun", "",
              database.path().string());
}

void migrate(Database& database, const std::vector<Migration>& sql) {
  const int found = schema_of(database);
  const int wanted = current_schema(sql);
  if (found > wanted) refuse_newer(database, found, wanted);
  if (found > 0 && found < wanted) back_up(database, found);
  for (int version = found + 1; version <= wanted; ++version) apply_step(database, version, sql);
}

}  // namespace dlrun::storage
