// SPDX-License-Identifier: Apache-2.0
#include "storage/creation.hpp"

#include <unistd.h>

#include "storage/clock.hpp"
#include "storage/paths.hpp"
#include "storage/schema.hpp"
#include "storage/space_tables.hpp"
#include "storage/spec_table.hpp"
#include "util/files.hpp"

namespace dlrun::storage {

namespace {

std::vector<Json> objectives_of(const Json& spec) {
  if (!spec.is_object() || !spec.contains("objective")) return {Json::object()};
  const Json& objective = spec["objective"];
  if (objective.is_array()) return objective.get<std::vector<Json>>();
  return {objective.is_object() ? objective : Json::object()};
}

std::string field(const Json& objective, const char* name) {
  return objective.contains(name) && objective[name].is_string() ? objective[name].get<std::string>() : std::string();
}

void insert_objectives(Database& database, const Json& spec) {
  Statement insert = database.prepare("INSERT INTO dl_objective VALUES (?, ?, ?, ?)");
  std::int64_t number = 0;
  for (const Json& objective : objectives_of(spec)) {
    std::optional<double> reference;
    const auto found = objective.find("reference");
    if (found != objective.end() && found->is_number()) reference = found->get<double>();
    insert.run(number++, field(objective, "metric"), field(objective, "direction") == "maximize", reference);
  }
}

void insert_study(Database& database, const StudyRow& s) {
  Statement insert = database.prepare(
      "INSERT INTO dl_study (id, name, hash, spec_text, spec, seed, slack, metric, maximize, created, state, reason) "
      "VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', '')");
  const std::string spec = to_text(s.spec);
  const std::string metric = field(objectives_of(s.spec).front(), "metric");
  const bool is_maximized = field(objectives_of(s.spec).front(), "direction") == "maximize";
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
    insert_first_spec(database);
    insert_objectives(database, study.spec);
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
