// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite_store.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <system_error>

#include "storage/clock.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "util/error.hpp"

namespace dlrun::storage {

namespace {
constexpr int kPatienceMs = 1000;  ///< time that a clean end waits for readers
}  // namespace

std::int64_t take_epoch(Database& database) {
  database.prepare("INSERT INTO dl_writer (host, pid, started) VALUES (?, ?, ?)")
      .run(host_name(), std::int64_t(::getpid()), now_ms());
  return database.integer("SELECT max(epoch) FROM dl_writer");
}

SqliteStore::Tables::Tables(Database& database, std::int64_t epoch)
    : log(database),
      trials(database),
      attempts(database, epoch),
      metrics(database),
      starts(database),
      begin(database.prepare("BEGIN IMMEDIATE")),
      commit(database.prepare("COMMIT")),
      rollback(database.prepare("ROLLBACK")),
      newest_writer(database.prepare("SELECT epoch, pid, host, started FROM dl_writer ORDER BY epoch DESC LIMIT 1")),
      energy(database.prepare("INSERT OR REPLACE INTO dl_energy VALUES (?, ?, ?, ?, ?, ?, ?)")),
      end(database.prepare("SELECT w.host, a.finished, a.state, a.epoch FROM dl_attempt a JOIN dl_worker w ON w.epoch "
                           "= a.epoch AND w.worker = a.worker WHERE a.trial = ? AND a.replicate = ? AND a.fold = ? AND "
                           "a.piece = ? AND a.attempt = ? AND a.finished IS NOT NULL")),
      hosts(database.prepare("SELECT DISTINCT host FROM dl_worker WHERE epoch = ?1 AND started <= ?2 AND (state IN "
                             "('running', 'joined') OR changed >= ?2)")) {}

SqliteStore::SqliteStore(std::filesystem::path folder, std::string name, WriterLock lock,
                         std::unique_ptr<Database> database)
    : folder_(std::move(folder)),
      name_(std::move(name)),
      lock_(std::move(lock)),
      database_(std::move(database)),
      epoch_(take_epoch(*database_)),
      tables_(std::make_unique<Tables>(*database_, epoch_)),
      is_on_network_(is_on_network(folder_)) {
  compare_head();
}

SqliteStore::~SqliteStore() = default;

void SqliteStore::compare_head() {
  const std::optional<Head> seen = read_head(study_file(folder_, name_, ".head"));
  if (!seen) return;
  const std::optional<bool> fits = tables_->log.holds(*seen);
  if (!fits) {
    warnings_.push_back("the log of study '" + name_ + "' ends at row " + std::to_string(tables_->log.head().seq) +
                        ", but row " + std::to_string(seen->seq) + " had been written: its last rows are lost");
  } else if (!*fits) {
    throw Error(
        ErrorKind::store,
        "row " + std::to_string(seen->seq) + " of the log of study '" + name_ + "' is not the one that was written",
        "the file was damaged or edited; restore it from a backup", database_->path().string());
  }
}

void SqliteStore::replay(const std::function<void(const LogRow&)>& row) { tables_->log.replay(row); }

std::filesystem::path SqliteStore::artifacts() const { return folder_ / "artifacts"; }

std::filesystem::path SqliteStore::attempt_folder(const trial::PieceKey& key, int attempt) const {
  return attempt_path(folder_, name_, key, attempt);
}

std::vector<std::string> SqliteStore::warnings() const {
  std::vector<std::string> all = warnings_;
  if (tables_ == nullptr) return all;
  const std::vector<std::string>& divergences = tables_->metrics.divergences();
  all.insert(all.end(), divergences.begin(), divergences.end());
  return all;
}

/// A reader that is looking just now keeps the WAL alive: nothing is lost, the next clean end folds it in.
void SqliteStore::leave_one_file() {
  sqlite3_busy_timeout(database_->handle(), kPatienceMs);
  try {
    database_->run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE;");
  } catch (const Error& fault) {
    if (fault.kind() != ErrorKind::store) throw;
  }
}

void SqliteStore::close() {
  if (tables_ == nullptr) return;
  rollback();
  const Head head = tables_->log.head();
  tables_.reset();
  leave_one_file();
  database_->close();
  std::error_code none;
  std::filesystem::remove(snapshot_file(database_->path()), none);
  write_head(study_file(folder_, name_, ".head"), head, true);
}

}  // namespace dlrun::storage
