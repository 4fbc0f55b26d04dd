// SPDX-License-Identifier: Apache-2.0
#include "storage/program_rows.hpp"

#include "storage/schema.hpp"

namespace dlrun::storage {

namespace {

constexpr int kProgramSchema = 17;  ///< 0017_programs

}  // namespace

void insert_program(Database& database, std::int64_t epoch, const Program& program) {
  const auto text = [](const std::string& t) { return t.empty() ? std::nullopt : std::optional(t); };
  database.prepare("UPDATE dl_environment SET program_revision = ?, program_changes = ? WHERE epoch = ?")
      .run(text(program.revision), text(program.changes), epoch);
  Statement add = database.prepare("INSERT OR REPLACE INTO dl_program_file VALUES (?, ?, ?)");
  for (const auto& [path, sha256] : program.files) add.run(epoch, path, sha256);
}

Program read_program(Database& database, std::int64_t epoch) {
  Program program;
  if (schema_of(database) < kProgramSchema) return program;
  Statement tree = database.prepare(
      "SELECT ifnull(program_revision, ''), ifnull(program_changes, '') FROM dl_environment WHERE "
      "epoch = ?");
  if (tree.bind(epoch).step()) {
    program.revision = tree.text(0);
    program.changes = tree.text(1);
  }
  Statement files = database.prepare("SELECT path, sha256 FROM dl_program_file WHERE epoch = ?");
  files.bind(epoch);
  while (files.step()) program.files.emplace(files.text(0), files.text(1));
  return program;
}

Hashes program_changes(Database& database) {
  Hashes hashes;
  if (schema_of(database) < kProgramSchema) return hashes;
  Statement rows =
      database.prepare("SELECT DISTINCT program_changes FROM dl_environment WHERE program_changes IS NOT NULL");
  while (rows.step()) hashes.emplace(rows.text(0));
  return hashes;
}

}  // namespace dlrun::storage
