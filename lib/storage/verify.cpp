// SPDX-License-Identifier: Apache-2.0
#include "storage/verify.hpp"

#include <fmt/format.h>

#include <fstream>

#include "storage/artifact_files.hpp"
#include "storage/log_table.hpp"
#include "storage/moving.hpp"
#include "storage/paths.hpp"
#include "storage/program_rows.hpp"
#include "storage/reading.hpp"
#include "storage/schema.hpp"
#include "storage/verify_rows.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"
#include "util/temporary_folder.hpp"

namespace dlrun::storage {

namespace {

using std::filesystem::path;

/// A study of a store, to be compared with the files around it.
struct Subject {
  path folder;
  std::string name;
  bool reads_files = true;
  std::optional<Head> head = {};  ///< `.head` before its rows are looked at: the log only grows, and a driver writes on

  path file(const char* suffix) const { return study_file(folder, name, suffix); }
};

constexpr std::size_t kMostPages = 20;  ///< faults that SQLite is asked to name
constexpr std::size_t kChunk = 1 << 20;

void check_pages(Database& database, Verified& out) {
  Statement rows = database.prepare(fmt::format("PRAGMA integrity_check({})", kMostPages));
  while (rows.step()) {
    if (rows.text(0) != "ok") out.faults.push_back(fmt::format("SQLite: {}", rows.text(0)));
  }
}

void check_log(Database& database, Verified& out) {
  LogTable log(database);
  RowCheck rows(database);
  log.replay([&](const LogRow& row) {
    ++out.log_rows;
    rows.compare(row);
  });
  rows.finish();
  out.faults.insert(out.faults.end(), rows.faults().begin(), rows.faults().end());
}

void check_name(Database& database, const Subject& study, Verified& out) {
  const std::string found = database.text("SELECT name FROM dl_study");
  if (found != study.name) out.faults.push_back(fmt::format("the study calls itself '{}'", found));
}

/// Whether a WAL cannot be read, for nothing can be written beside it: its rows are out of sight.
bool hides_rows(const Database& database, const Subject& study) {
  return database.mode() == Database::Mode::immutable && has_rows_in_wal(study.file(".db"));
}

/// The row that `.head` names. None where newer rows may be out of sight: in a copy for readers, too.
std::optional<Head> head_of(const Database& database, const Subject& study) {
  const bool is_whole = database.path() == study.file(".db") && !hides_rows(database, study);
  return is_whole ? read_head(study.file(".head")) : std::nullopt;
}

void check_head(Database& database, const Subject& study, Verified& out) {
  if (!study.head) return;
  const std::int64_t seq = study.head->seq;
  const auto holds = LogTable(database).holds(*study.head);
  const std::string file = study.file(".head").string();
  if (!holds) out.faults.push_back(fmt::format("the log ends before row {}, which '{}' names", seq, file));
  if (holds && !*holds) out.faults.push_back(fmt::format("row {} of the log is another than '{}' names", seq, file));
}

std::string hash_of(const path& file) {
  std::ifstream stream(file, std::ios::binary);
  Sha256 sha;
  for (std::string chunk(kChunk, '\0'); stream.good();) {
    stream.read(chunk.data(), std::streamsize(chunk.size()));
    sha.add(std::string_view(chunk).substr(0, std::size_t(stream.gcount())));
  }
  if (stream.bad() || !stream.eof()) return "unreadable";
  return sha.finish_hex();
}

/// Fault of an artifact's file; empty: none.
std::string fault_of(const path& artifacts, const std::string& hash, std::int64_t bytes, bool reads_files) {
  const std::vector<path> files = files_of(artifacts, hash);
  std::error_code fault;
  const auto size = files.empty() ? 0 : std::int64_t(std::filesystem::file_size(files.front(), fault));
  if (files.empty() || fault) return "is missing";
  if (size != bytes) return fmt::format("has {} bytes, not {}: it was cut off or changed", size, bytes);
  if (reads_files && hash_of(files.front()) != hash) return "has another content: it is damaged";
  return {};
}

/// A driver that ends while files are read gives artifacts up: rows and files are gone then, but not from our snapshot.
void check_files(Database& database, const Subject& study, Verified& out) {
  Statement rows = database.prepare(
      "SELECT sha256, max(bytes), min(trial), min(role), min(step), count(*) FROM dl_artifact WHERE deleted IS NULL "
      "GROUP BY sha256 ORDER BY min(trial), min(step)");
  while (rows.step()) {
    const std::string hash(rows.text(0));
    const std::string fault = fault_of(study.folder / "artifacts", hash, rows.integer(1), study.reads_files);
    if (!fault.empty() && is_given_up(study.folder, study.name, hash)) continue;
    ++out.files;
    out.bytes += rows.integer(1);
    if (fault.empty()) continue;
    out.faults.push_back(fmt::format("artifact {} ({} of trial {} at epoch {}) {}", short_hash(hash), rows.text(3),
                                     rows.integer(2), rows.integer(4), fault));
  }
}

/// Changes to a program's work tree are facts and no results: an archive may leave them out.
void check_changes(Database& database, const Subject& study, Verified& out) {
  for (const std::string& hash : program_changes(database)) {
    const std::vector<path> files = files_of(study.folder / "artifacts", hash);
    if (files.empty()) continue;
    ++out.files;
    out.bytes += std::int64_t(std::filesystem::file_size(files.front()));
    if (study.reads_files && hash_of(files.front()) != hash)
      out.faults.push_back(fmt::format("artifact {} (changes of the program) is damaged", short_hash(hash)));
  }
}

/// Damage that stops one check is a fault of the study like others.
template <class Check>
void guarded(Verified& out, const Check& check) {
  try {
    check();
  } catch (const Error& fault) {
    if (fault.kind() != ErrorKind::store) throw;
    out.faults.emplace_back(fault.what());
  }
}

}  // namespace

Verified verify_database(Database& database) {
  Verified out;
  guarded(out, [&] { check_pages(database, out); });
  database.run("BEGIN");
  guarded(out, [&] { check_log(database, out); });
  database.run("COMMIT");
  return out;
}

namespace {

/// A study whose tables are older, as its migration will leave it: in a copy, for nothing is changed.
class MigratedCopy {
 public:
  /// @throws Error(outside) without room for it; Error(store) where it cannot be migrated
  explicit MigratedCopy(Database& old) : database_(copied(old, folder_.path()), Database::Mode::write) {
    migrate(database_, embedded_sql(), false);
  }
  Database& database() { return database_; }

 private:
  static path copied(Database& old, const path& folder) {
    old.copy_to(folder / old.path().filename());
    return folder / old.path().filename();
  }

  TemporaryFolder folder_{"dlrun-verify"};
  Database database_;
};

/// Name, log, head and artifacts of a study with tables of today.
void check_rows(Database& database, const Subject& study, Verified& out) {
  database.run("BEGIN");
  guarded(out, [&] { check_name(database, study, out); });
  guarded(out, [&] { check_log(database, out); });
  guarded(out, [&] { check_head(database, study, out); });
  guarded(out, [&] { check_files(database, study, out); });
  guarded(out, [&] { check_changes(database, study, out); });
}

}  // namespace

Verified verify_study(const path& folder, const std::string& name, bool reads_files) {
  Subject study{folder, name, reads_files};
  const path file = study.file(".db");
  if (!std::filesystem::exists(file)) throw Error(ErrorKind::not_found, "there is no study '" + name + "'");
  Verified out;
  std::unique_ptr<Database> database;
  guarded(out, [&] { database = open_for_reading(file); });
  if (!database) return out;
  guarded(out, [&] { study.head = head_of(*database, study); });
  if (hides_rows(*database, study))
    out.faults.push_back(
        fmt::format("the rows in '{}-wal' cannot be read where nothing can be written: verify a copy", file.string()));
  guarded(out, [&] { check_pages(*database, out); });
  std::unique_ptr<MigratedCopy> copy;
  guarded(out, [&] {
    if (schema_of(*database) < current_schema()) copy = std::make_unique<MigratedCopy>(*database);
    check_rows(copy ? copy->database() : *database, study, out);
  });
  return out;
}

}  // namespace dlrun::storage
