// SPDX-License-Identifier: Apache-2.0
#include "storage/reading.hpp"

#include <unistd.h>

#include <cstdlib>
#include <system_error>
#include <utility>

#include "storage/lock.hpp"
#include "storage/log_table.hpp"
#include "storage/paths.hpp"
#include "storage/schema.hpp"
#include "util/error.hpp"

namespace dlrun::storage {

namespace {

std::unique_ptr<Database> open_checked(const std::filesystem::path& file, Database::Mode mode) {
  auto database = std::make_unique<Database>(file, mode);
  require_readable(*database);
  return database;
}

/// Whether the study's driver is at work on a network file system, where it locks the file for itself.
bool is_locked_away(const std::filesystem::path& file) {
  std::filesystem::path lock = file;
  return is_on_network(file.parent_path()) && std::filesystem::exists(snapshot_file(file)) &&
         WriterLock::is_held(lock.replace_extension(".lock"));
}

/// Whether a file that cannot be opened as usual may be read as if nobody wrote it. A WAL file in a folder where
/// nothing can be written has no -shm: what stands in the main file is whole, and all that can be seen. Elsewhere newer
/// rows would be missed, for want of descriptors or room.
bool is_readable_alone(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return false;
  const std::filesystem::path folder = file.parent_path();
  return !has_rows_in_wal(file) || ::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0;
}

}  // namespace

bool has_rows_in_wal(const std::filesystem::path& file) {
  std::error_code none;
  const std::uintmax_t bytes = std::filesystem::file_size(file.string() + "-wal", none);
  return !none && bytes > 0;
}

std::filesystem::path snapshot_file(const std::filesystem::path& file) { return file.string() + "-snapshot"; }

std::unique_ptr<Database> open_for_reading(const std::filesystem::path& file) {
  if (is_locked_away(file)) return open_checked(snapshot_file(file), Database::Mode::immutable);
  try {
    return open_checked(file, Database::Mode::read);
  } catch (const Unwritable&) {  // a driver was killed a moment ago, or begins
  } catch (const Error& fault) {
    if (fault.kind() != ErrorKind::outside || !is_readable_alone(file)) throw;
  }
  return open_checked(file, Database::Mode::immutable);
}

std::string read_only_uri(const std::filesystem::path& file) {
  const auto opened = open_for_reading(file);  // may be its snapshot
  const bool is_immutable = opened->mode() == Database::Mode::immutable;
  return file_uri(opened->path(), is_immutable ? "?mode=ro&immutable=1" : "?mode=ro");
}

std::string rename_spec(Json& spec, const std::string& name) {
  const auto found = spec.is_object() ? spec.find("study") : spec.end();
  if (found == spec.end() || !found->is_string() || *found == name) return {};
  return std::exchange(*found, name).get<std::string>();
}

StudyRow read_study(Database& database) {
  Statement row = database.prepare("SELECT name, hash, spec_text, spec, seed, slack, created FROM dl_study");
  if (!row.step()) throw Error(ErrorKind::store, "'" + database.path().string() + "' holds no study");
  StudyRow study;
  study.name = row.text(0);
  study.hash = row.text(1);
  study.spec_text = row.text(2);
  study.spec = parse_json(row.text(3), "the spec in '" + database.path().string() + "'");
  study.seed = std::strtoull(std::string(row.text(4)).c_str(), nullptr, 10);
  study.slack = row.integer(5);
  study.created = row.text(6);
  study.origin = rename_spec(study.spec, study.name);
  return study;
}

void require_own_name(Database& database, const std::string& name) {
  const std::string held = database.text("SELECT name FROM dl_study");
  if (held == name) return;
  throw Error(ErrorKind::store, "'" + database.path().string() + "' holds study '" + held + "', not '" + name + "'",
              "rename the file to '" + held +
                  ".db'; `dlrun export --archive` and `dlrun import --as` make a copy of "
                  "another name",
              database.path().string());
}

void read_log(const std::filesystem::path& folder, const std::string& name,
              const std::function<void(const LogRow&)>& row) {
  const std::filesystem::path file = study_file(folder, name, ".db");
  if (!std::filesystem::exists(file)) throw Error(ErrorKind::not_found, "there is no study '" + name + "'");
  const auto database = open_for_reading(file);
  database->run("BEGIN");
  LogTable(*database).replay(row);
}

std::optional<int> other_arithmetic(Database& database, int ours) {
  constexpr int kRecordedFrom = 15;  // schema
  const bool is_recorded = schema_of(database) >= kRecordedFrom;
  Statement earlier = database.prepare(std::string("SELECT ") + (is_recorded ? "coalesce(arithmetic, 0)" : "0") +
                                       " AS theirs FROM dl_environment WHERE theirs <> ? ORDER BY epoch DESC LIMIT 1");
  if (!earlier.bind(ours).step()) return std::nullopt;
  return int(earlier.integer(0));
}

std::int64_t read_started(Database& database) {
  return database.integer("SELECT coalesce(max(started), 0) FROM dl_study");
}

}  // namespace dlrun::storage
