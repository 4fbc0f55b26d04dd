// SPDX-License-Identifier: Apache-2.0
#include "storage/moving.hpp"

#include "storage/best_trials.hpp"
#include "storage/clock.hpp"
#include "storage/lock.hpp"
#include "storage/log_table.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/removal.hpp"
#include "storage/schema.hpp"
#include "storage/verify.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::storage {

namespace fs = std::filesystem;

namespace {

/// Attempts that its driver had running are taken up again by `resume`, as after a crash.
constexpr const char* kEndRun =
    "UPDATE dl_study SET state = 'interrupted', reason = 'exported while it ran' WHERE state = 'running'";

/// One file that needs no other beside it.
void leave_one_file(Database& database) { database.run("PRAGMA journal_mode=DELETE"); }

void require_rows(Database& database) {
  const Verified found = verify_database(database);
  if (found.faults.empty()) return;
  throw Error(ErrorKind::store, "'" + database.path().filename().string() + "' is damaged: " + found.faults.front());
}

}  // namespace

StudyFacts facts_of(Database& study) {
  StudyFacts facts;
  facts.row = read_study(study);
  facts.state = study.text("SELECT state FROM dl_study");
  facts.trials = study.integer("SELECT count(*) FROM dl_trial");
  facts.head = LogTable(study).head();
  facts.schema = schema_of(study);
  return facts;
}

void copy_study(const fs::path& store, const std::string& name, const fs::path& to) {
  const std::unique_ptr<Database> study = open_for_reading(study_file(store, name, ".db"));
  study->copy_to(to);
  Database copy(to, Database::Mode::write);
  leave_one_file(copy);
  migrate(copy);
}

void forget_artifacts(Database& study, const Hashes& gone) {
  const std::int64_t now = now_ms();
  study.run("BEGIN");
  Statement update = study.prepare("UPDATE dl_artifact SET deleted = ? WHERE sha256 = ? AND deleted IS NULL");
  for (const std::string& hash : gone) update.run(now, hash);
  study.run("COMMIT");
}

bool is_given_up(const fs::path& store, const std::string& name, const std::string& hash) {
  const std::unique_ptr<Database> study = open_for_reading(study_file(store, name, ".db"));
  Statement rows = study->prepare("SELECT 1 FROM dl_artifact WHERE sha256 = ? AND deleted IS NULL");
  return !rows.bind(hash).step();
}

namespace {

Hashes hashes_of(Statement rows) {
  Hashes hashes;
  while (rows.step()) hashes.emplace(rows.text(0));
  return hashes;
}

}  // namespace

Hashes needed_by(Database& study) {
  return hashes_of(study.prepare("SELECT DISTINCT sha256 FROM dl_artifact WHERE deleted IS NULL"));
}

Hashes needed_by_best(Database& study) {
  const std::vector<study::Contender> best = best_trials(study, 1);
  if (best.empty()) return {};
  Statement rows = study.prepare("SELECT DISTINCT sha256 FROM dl_artifact WHERE deleted IS NULL AND trial = ?");
  rows.bind(best.front().id.value);
  return hashes_of(std::move(rows));
}

StudyFacts admit_study(const fs::path& file, const fs::path& scratch) {
  Database database(file, Database::Mode::write);
  database.run("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY;");
  require_readable(database);
  require_own_tables(database, scratch);
  leave_one_file(database);
  migrate(database);
  renew_views(database);
  require_rows(database);
  database.run(kEndRun);
  StudyFacts facts = facts_of(database);
  database.close();
  return facts;
}

void rename_study(const fs::path& file, const std::string& name) {
  require_valid_name(name);
  Database database(file, Database::Mode::write);
  database.prepare("UPDATE dl_study SET name = ?").run(name);
  database.close();
}

void take_in(const fs::path& file, const fs::path& store, const std::string& name) {
  require_new_name(name);
  make_folders(store / "studies");
  const WriterLock lock(study_file(store, name, ".lock"), "study '" + name + "'");
  const fs::path target = study_file(store, name, ".db");
  if (fs::exists(target)) throw Error(ErrorKind::store, "study '" + name + "' exists already", "", target.string());
  remove_side_files(store, name);
  {
    Database database(file, Database::Mode::read);
    write_head(study_file(store, name, ".head"), LogTable(database).head(), true);
  }
  move_file(file, target);
}

}  // namespace dlrun::storage
