// SPDX-License-Identifier: Apache-2.0
#include "storage/spec_table.hpp"

#include "storage/reading.hpp"
#include "storage/schema.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::storage {

namespace {

constexpr int kSpecSchema = 6;  ///< 0006_spec_versions: before it a spec never changed

std::string digest_of(std::string_view hash, std::int64_t slack, std::string_view spec, std::string_view text) {
  std::string all(hash);
  all += '\n' + std::to_string(slack) + '\n';
  all += spec;
  all += '\n';
  all += text;
  return Sha256::hex_of(all);
}

[[noreturn]] void refuse(const Database& database, std::int64_t seq) {
  throw Error(ErrorKind::store,
              "row " + std::to_string(seq == 0 ? 1 : seq) + " of the log in '" + database.path().string() +
                  "' does not fit the spec that the study has",
              "the file was damaged or edited; restore it from a backup", database.path().string());
}

}  // namespace

std::string digest_of(const StudyRow& v) { return digest_of(v.hash, v.slack, to_text(v.spec), v.spec_text); }

void insert_first_spec(Database& database) {
  database.run("INSERT INTO dl_spec SELECT 0, 0, hash, spec_text, spec, slack, NULL, NULL FROM dl_study");
}

void insert_spec(Database& database, const study::Amended& amended, std::int64_t seq, const StudyRow& v) {
  const std::string spec = to_text(v.spec);
  database.prepare("INSERT INTO dl_spec VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      .run(amended.version, seq, v.hash, v.spec_text, spec, v.slack, to_text(Json(amended.changes)),
           to_text(Json(amended.defaults)));
  database.prepare("UPDATE dl_study SET hash = ?, spec_text = ?, spec = ?, slack = ?")
      .run(v.hash, v.spec_text, spec, v.slack);
  database.prepare("DELETE FROM dl_spec WHERE version = ?").run(kSettings);
}

void insert_settings(Database& database, const StudyRow& row) {
  database.prepare("UPDATE dl_study SET spec_text = ?, spec = ?").run(row.spec_text, to_text(row.spec));
  database
      .prepare("INSERT OR REPLACE INTO dl_spec SELECT ?1, ?1, hash, spec_text, spec, slack, NULL, NULL FROM dl_study")
      .run(kSettings);
}

std::vector<StudyRow> read_specs(Database& database) {
  std::vector<StudyRow> versions{read_study(database)};
  if (schema_of(database) < kSpecSchema) return versions;
  const StudyRow newest = versions.front();
  versions.clear();
  Statement rows =
      database.prepare("SELECT hash, spec_text, spec, slack FROM dl_spec WHERE version >= 0 ORDER BY version");
  while (rows.step()) {
    StudyRow version = newest;
    version.hash = rows.text(0);
    version.spec_text = rows.text(1);
    version.spec = parse_json(rows.text(2), "a spec in '" + database.path().string() + "'");
    version.slack = rows.integer(3);
    version.origin = rename_spec(version.spec, version.name);
    versions.push_back(std::move(version));
  }
  if (!versions.empty()) versions.back() = newest;
  return versions;
}

void require_newest_spec(Database& database) {
  Statement row = database.prepare(
      "SELECT s.hash = v.hash AND s.slack = v.slack AND s.spec_text = h.spec_text AND s.spec = h.spec, v.seq "
      "FROM dl_study s, dl_spec v, dl_spec h WHERE v.version = (SELECT max(version) FROM dl_spec) AND h.version = "
      "coalesce((SELECT version FROM dl_spec WHERE version = ?), v.version)");
  if (!row.bind(kSettings).step()) refuse(database, 0);
  if (row.integer(0) == 0) refuse(database, row.integer(1));
}

void require_spec(Database& database, const study::Amended& amended, std::int64_t seq) {
  Statement row = database.prepare("SELECT hash, slack, spec, spec_text FROM dl_spec WHERE version = ? AND seq = ?");
  const bool is_there = row.bind(amended.version, seq).step();
  if (!is_there) refuse(database, seq);
  if (digest_of(row.text(0), row.integer(1), row.text(2), row.text(3)) != amended.digest) refuse(database, seq);
}

}  // namespace dlrun::storage
