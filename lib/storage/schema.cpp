// SPDX-License-Identifier: Apache-2.0
#include "storage/schema.hpp"

#include <sqlite3.h>

#include <map>

#include "storage/clock.hpp"
#include "storage/codec.hpp"
#include "storage/views.hpp"
#include "trial/trial.hpp"
#include "util/error.hpp"

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

void add_word(Statement& insert, const char* family, int number, std::string_view word) {
  insert.run(family, number, word);
}

/// Names of the numbers that rows hold, for the views.
void write_words(Database& database) {
  Statement insert = database.prepare("INSERT OR REPLACE INTO dl_word VALUES (?, ?, ?)");
  for (int i = 0; i < trial::kCauses; ++i) {
    add_word(insert, "cause", i, trial::to_string(static_cast<trial::Cause>(i)));
  }
  for (int i = 0; i <= int(study::DecisionKind::amend); ++i) {
    add_word(insert, "decision", i, to_string(static_cast<study::DecisionKind>(i)));
  }
  for (const auto& [kind, word] : log_kind_names()) add_word(insert, "log", int(kind), word);
}

void write_views(Database& database, const std::string& sql) {
  database.run("BEGIN IMMEDIATE");
  drop_views(database);
  make_views(database, sql);
  write_words(database);
  database.run("COMMIT");
}

/// Applies the steps from the version after `found` to the last.
void apply_steps(Database& database, int found, const std::vector<Migration>& sql) {
  database.run("CREATE TABLE IF NOT EXISTS dl_schema (version INTEGER PRIMARY KEY, step TEXT, applied TEXT)");
  drop_views(database);
  Statement note = database.prepare("INSERT INTO dl_schema VALUES (?, ?, ?)");
  for (int version = found + 1; version <= current_schema(sql); ++version) {
    const Migration& step = sql[std::size_t(version - 1)];
    database.run(step.sql);
    note.run(version, step.name, to_iso(now_ms()));
  }
  make_views(database, sql.back().sql);
  write_words(database);
}

/// Tables and indexes as their SQL, and whatever else there is but views of ours.
std::map<std::string, std::string> tables_of(Database& database) {
  std::map<std::string, std::string> tables;
  Statement rows = database.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_master");
  while (rows.step()) {
    if (rows.text(0) == "view" && is_own_view(rows.text(1))) continue;
    tables.emplace(std::string(rows.text(0)) + " " + std::string(rows.text(1)), rows.text(2));
  }
  return tables;
}

std::map<std::string, std::string> tables_of_schema(int version, const std::filesystem::path& scratch) {
  std::vector<Migration> steps(embedded_sql().begin(), embedded_sql().begin() + version);
  steps.push_back(embedded_sql().back());
  Database own(scratch, Database::Mode::create);
  migrate(own, steps);
  return tables_of(own);
}

}  // namespace

void require_own_tables(Database& database, const std::filesystem::path& scratch) {
  const std::map<std::string, std::string> own = tables_of_schema(schema_of(database), scratch);
  const std::map<std::string, std::string> found = tables_of(database);
  for (const auto& [name, sql] : found) {
    const auto known = own.find(name);
    if (known != own.end() && known->second == sql) continue;
    throw Error(ErrorKind::store, "'" + database.path().string() + "' has a " + name + " that is none of dlrun's");
  }
  if (found.size() < own.size()) throw Error(ErrorKind::store, "'" + database.path().string() + "' lacks a table");
}

void renew_views(Database& database) { write_views(database, embedded_sql().back().sql); }

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

void migrate(Database& database, const std::vector<Migration>& sql, bool keeps_old) {
  const int found = schema_of(database);
  const int wanted = current_schema(sql);
  if (found > wanted) refuse_newer(database, found, wanted);
  if (keeps_old && found > 0 && found < wanted)
    database.copy_to(database.path().string() + ".v" + std::to_string(found));
  if (found == wanted && !has_views(database, sql.back().sql)) write_views(database, sql.back().sql);
  if (found == wanted) return;
  database.run("BEGIN IMMEDIATE");
  try {
    apply_steps(database, found, sql);
    database.run("COMMIT");
  } catch (...) {
    sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

}  // namespace dlrun::storage
