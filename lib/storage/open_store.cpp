// SPDX-License-Identifier: Apache-2.0
// Finding studies and opening them.
#include "storage/store.hpp"

#include "storage/creation.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/removal.hpp"
#include "storage/schema.hpp"
#include "storage/space_tables.hpp"
#include "storage/spec_table.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::storage {

namespace {

/// WAL where shared memory works; elsewhere one program at a time, with a rollback journal and full commits.
void set_journal(Database& database, const std::filesystem::path& folder) {
  if (is_on_network(folder)) {
    database.run("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL;");
  } else {
    database.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;");
  }
  database.run("PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON;");
}

std::unique_ptr<Store> open_locked(const std::filesystem::path& folder, const std::string& name, WriterLock lock,
                                   const space::Space& space) {
  auto database = std::make_unique<Database>(study_file(folder, name, ".db"), Database::Mode::write);
  require_readable(*database);
  require_own_name(*database, name);
  set_journal(*database, folder);
  migrate(*database);
  require_same_space(*database, space);
  return std::make_unique<Store>(folder, name, std::move(lock), std::move(database));
}

WriterLock lock_study(const std::filesystem::path& folder, const std::string& name) {
  return {study_file(folder, name, ".lock"), "study '" + name + "'"};
}

std::optional<std::string> last_named(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "last")) return std::nullopt;
  std::string name = read_file(folder / "last", 4096);
  if (!name.empty() && name.back() == '\n') name.pop_back();
  if (!is_valid_name(name) || !std::filesystem::exists(study_file(folder, name, ".db"))) return std::nullopt;
  return name;
}

/// When a driver last took the study up, in ms since 1970; -1: it cannot be read.
std::int64_t started_of(const std::filesystem::path& folder, const std::string& name) {
  try {
    return read_started(*open_for_reading(study_file(folder, name, ".db")));
  } catch (const Error& fault) {
    if (fault.kind() != ErrorKind::store) throw;
    return -1;  // one damaged study hides no other one
  }
}

}  // namespace

std::unique_ptr<Store> Store::create(const std::filesystem::path& folder, const StudyRow& study,
                                     const space::Space& space) {
  require_new_name(study.name);
  make_folders(folder / "studies");
  make_folders(folder / "artifacts");
  WriterLock lock = lock_study(folder, study.name);
  if (std::filesystem::exists(study_file(folder, study.name, ".db"))) {
    throw Error(ErrorKind::store, "study '" + study.name + "' exists already",
                "choose another name, or delete it with "
                "`dlrun delete " +
                    study.name + "`",
                study_file(folder, study.name, ".db").string());
  }
  remove_side_files(folder, study.name);
  build_study(folder, study, space);
  return open_locked(folder, study.name, std::move(lock), space);
}

std::unique_ptr<Store> Store::open(const std::filesystem::path& folder, const std::string& name,
                                   const space::Space& space) {
  require_valid_name(name);
  if (!std::filesystem::exists(study_file(folder, name, ".db"))) {
    throw Error(ErrorKind::not_found, "there is no study '" + name + "' in '" + folder.string() + "'",
                "`dlrun studies` lists them");
  }
  return open_locked(folder, name, lock_study(folder, name), space);
}

std::optional<StudyRow> Store::find(const std::filesystem::path& folder, const std::string& name) {
  require_valid_name(name);
  const std::filesystem::path file = study_file(folder, name, ".db");
  if (!std::filesystem::exists(file)) return std::nullopt;
  const auto database = open_for_reading(file);
  require_own_name(*database, name);
  return read_study(*database);
}

std::vector<StudyRow> Store::versions(const std::filesystem::path& folder, const std::string& name) {
  require_valid_name(name);
  const std::filesystem::path file = study_file(folder, name, ".db");
  if (!std::filesystem::exists(file)) return {};
  const auto database = open_for_reading(file);
  require_own_name(*database, name);
  return read_specs(*database);
}

std::vector<std::string> Store::names(const std::filesystem::path& folder) { return study_names(folder); }

std::optional<std::string> Store::last(const std::filesystem::path& folder) {
  if (std::optional<std::string> named = last_named(folder)) return named;
  std::optional<std::string> newest;
  std::int64_t latest = -2;
  for (const std::string& name : study_names(folder)) {
    const std::int64_t started = started_of(folder, name);
    if (started > latest) {
      latest = started;
      newest = name;
    }
  }
  return newest;
}

}  // namespace dlrun::storage
