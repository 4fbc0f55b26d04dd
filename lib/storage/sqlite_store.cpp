// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite_store.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <system_error>

#include "storage/clock.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::storage {

namespace {
constexpr std::chrono::seconds kHeadEvery{5};       ///< how far behind `<name>.head` may be while a driver runs
constexpr int kPatienceMs = 1000;                   ///< how long a clean end waits for readers
constexpr std::chrono::seconds kSnapshotEvery{30};  ///< the same of what readers on a network file system see
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
      begin(database.prepare("BEGIN IMMEDIATE")),
      commit(database.prepare("COMMIT")),
      rollback(database.prepare("ROLLBACK")),
      newest_epoch(database.prepare("SELECT max(epoch) FROM dl_writer")) {}

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

void SqliteStore::begin() {
  if (is_broken_ || is_open_ || tables_ == nullptr) throw Error(ErrorKind::internal, "store: begin at a wrong time");
  tables_->begin.run();
  is_open_ = true;
  Statement& newest = tables_->newest_epoch;
  const bool is_newest = newest.bind().step() && newest.integer(0) == epoch_;
  newest.reset();
  if (is_newest) return;
  rollback();
  is_broken_ = true;
  throw Error(ErrorKind::store, "study '" + name_ + "' was taken over by another driver",
              "look at it with `dlrun status`", database_->path().string());
}

void SqliteStore::commit(Durability durability) {
  require_transaction();
  is_broken_ = true;  // until it is known to have worked
  tables_->commit.run();
  is_open_ = false;
  if (durability == Durability::full) sync_wal();
  is_broken_ = false;
  if (durability == Durability::full) write_head_sometimes();
  if (is_on_network_) write_snapshot_sometimes();
}

/// Without a WAL (network file systems) the commit itself was a full one.
void SqliteStore::sync_wal() {
  sqlite3_file* file = nullptr;
  const int code = sqlite3_file_control(database_->handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
  if (code != SQLITE_OK || file == nullptr || file->pMethods == nullptr) return;
  const int synced = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
  if (synced == SQLITE_OK) return;
  // Linux marks pages clean after a failed fsync: a second try would lie. What is in this group may be lost.
  throw Error(ErrorKind::outside, "cannot fsync '" + database_->path().string() + "-wal': disk I/O error",
              "the disk failed; what was acknowledged is kept, run the same command again");
}

void SqliteStore::write_head_sometimes() {
  const auto now = std::chrono::steady_clock::now();
  if (now - head_written_ < kHeadEvery) return;
  head_written_ = now;
  write_head(study_file(folder_, name_, ".head"), tables_->log.head(), false);
}

/// Nobody else can read a file that is locked for one program, so readers get a copy, renamed when it is whole.
void SqliteStore::write_snapshot_sometimes() {
  const auto now = std::chrono::steady_clock::now();
  if (now - snapshot_written_ < kSnapshotEvery) return;
  snapshot_written_ = now;
  const std::filesystem::path draft = study_file(folder_, name_, ".db-snapshot.new");
  write_file(draft, "");  // private; VACUUM INTO takes an empty file
  database_->prepare("VACUUM INTO ?").run(draft.string());
  std::filesystem::rename(draft, snapshot_file(database_->path()));
}

void SqliteStore::rollback() {
  if (!is_open_) return;
  is_open_ = false;
  if (sqlite3_get_autocommit(database_->handle()) == 0) tables_->rollback.run();
  tables_->log.reload();
  tables_->metrics.reload();
}

void SqliteStore::require_transaction() const {
  if (is_broken_ || !is_open_) throw Error(ErrorKind::internal, "store: written to outside of a transaction");
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
