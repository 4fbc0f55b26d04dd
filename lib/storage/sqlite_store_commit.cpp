// SPDX-License-Identifier: Apache-2.0
// Transactions of the Store: what is on the disk when commit returns, and the files beside the database.
#include <sqlite3.h>

#include "storage/clock.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/sqlite_store.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::storage {

namespace {
constexpr std::chrono::seconds kHeadEvery{5};       ///< time by which `<name>.head` may be behind while a driver runs
constexpr std::chrono::seconds kSnapshotEvery{30};  ///< time by which readers on a network file system may be behind
}  // namespace

void SqliteStore::begin() {
  if (is_broken_ || is_open_ || tables_ == nullptr) throw Error(ErrorKind::internal, "store: begin at a wrong time");
  require_ours();
  tables_->begin.run();
  is_open_ = true;
  require_newest();
}

/// Inside of the transaction: whoever opens the study for writing waits until it has ended, or has ended it before.
void SqliteStore::require_newest() {
  Statement& newest = tables_->newest_writer;
  const bool is_newest = newest.bind().step() && newest.integer(0) == epoch_;
  const std::string winner = "process " + std::string(newest.text(1)) + " on " + std::string(newest.text(2)) +
                             " since " + to_iso(newest.integer(3));
  newest.reset();
  if (is_newest) return;
  rollback();
  give_up(winner);
}

void SqliteStore::require_ours() {
  if (!lock_.is_ours()) give_up(WriterLock::holder(study_file(folder_, name_, ".lock")));
  database_->require_unmoved();
}

void SqliteStore::give_up(const std::string& winner) {
  is_broken_ = true;
  throw Error(ErrorKind::outside, "study '" + name_ + "' was taken over by " + winner + ": this driver writes no more",
              "it goes on there; look at it with `dlrun status`", database_->path().string());
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

/// Syncs the WAL. Without one (network file systems) the commit itself was a full one.
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

/// Writes a copy for readers, renamed when it is whole: a file that is locked for one program cannot be read by others.
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

}  // namespace dlrun::storage
