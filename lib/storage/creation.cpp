// SPDX-License-Identifier: Apache-2.0
#include "storage/creation.hpp"

#include <unistd.h>

#include "storage/clock.hpp"
#include "storage/paths.hpp"
#include "storage/schema.hpp"
#include "storage/space_tables.hpp"
#include "util/files.hpp"

namespace dlrun::storage {

namespace {

std::string objective_field(const Json& spec, const char* field) {
  if (!spec.is_object() || !spec.contains("objective") || !spec["objective"].is_object()) return {};
  const Json& objective = spec["objective"];
  return objective.contains(field) && objective[field].is_string() ? objective[field].get<std::string>()
                                                                   : std::string();
}

void insert_study(Database& database, const StudyRow& s) {
  Statement insert = database.prepare(
      "INSERT INTO dl_study (id, name, hash, spec_text, spec, seed, slack, metric, maximize, created, state, reason) "
      "VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', '')");
  const std::string spec = to_text(s.spec);
  const std::string metric = objective_field(s.spec, "metric");
  const bool is_maximized = objective_field(s.spec, "direction") == "maximize";
  const std::string created = s.created.empty() ? to_iso(now_ms()) : s.created;
  const std::string large = std::to_string(s.seed);
  insert.bind(s.name, s.hash, s.spec_text, spec, std::int64_t(s.seed), s.slack, metric, is_maximized, created);
  if (s.seed > std::uint64_t(INT64_MAX)) insert.set(5, large);
  insert.step();
}

}  // namespace

void build_study(const std::filesystem::path& folder, const StudyRow& study, const space::Space& space) {
  const std::filesystem::path draft = study_file(folder, study.name, ".db.new");
  write_file(draft, "");  // private; SQLite gives -wal and -shm the mode of the file itself
  try {
    Database database(draft, Database::Mode::write);
    database.run("PRAGMA synchronous=FULL");
    migrate(database);
    database.run("BEGIN");
    insert_study(database, study);
    insert_space(database, space);
    database.run("COMMIT");
    database.close();
    std::filesystem::rename(draft, study_file(folder, study.name, ".db"));
  } catch (...) {
    ::unlink(draft.c_str());
    ::unlink((draft.string() + "-journal").c_str());
    throw;
  }
}

}  // namespace dlrun::storage
