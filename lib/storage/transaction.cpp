// SPDX-License-Identifier: Apache-2.0
#include "storage/transaction.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include "storage/clock.hpp"
#include "util/error.hpp"

namespace dlrun::storage {

std::int64_t take_epoch(Database& database) {
  database.prepare("INSERT INTO dl_writer (host, pid, started) VALUES (?, ?, ?)")
      .run(host_name(), std::int64_t(::getpid()), now_ms());
  return database.integer("SELECT max(epoch) FROM dl_writer");
}

Transaction::Transaction(Database& database, const WriterLock& lock, std::filesystem::path lock_file, std::string study,
                         std::int64_t epoch)
    : database_(database),
      lock_(lock),
      lock_file_(std::move(lock_file)),
      study_(std::move(study)),
      epoch_(epoch),
      begin_(database.prepare("BEGIN IMMEDIATE")),
      commit_(database.prepare("COMMIT")),
      rollback_(database.prepare("ROLLBACK")),
      newest_writer_(database.prepare("SELECT epoch, pid, host, started FROM dl_writer ORDER BY epoch DESC LIMIT 1")) {}

void Transaction::begin() {
  if (is_broken_ || is_open_) throw Error(ErrorKind::internal, "store: begin at a wrong time");
  require_ours();
  begin_.run();
  is_open_ = true;
  require_newest();
}

/// Inside of the transaction: whoever opens the study for writing waits until it has ended, or has ended it before.
void Transaction::require_newest() {
  const bool is_newest = newest_writer_.bind().step() && newest_writer_.integer(0) == epoch_;
  const std::string winner = "process " + std::string(newest_writer_.text(1)) + " on " +
                             std::string(newest_writer_.text(2)) + " since " + to_iso(newest_writer_.integer(3));
  newest_writer_.reset();
  if (is_newest) return;
  rollback();
  give_up(winner);
}

void Transaction::require_ours() {
  if (!lock_.is_ours()) give_up(WriterLock::holder(lock_file_));
  database_.require_unmoved();
}

void Transaction::give_up(const std::string& winner) {
  is_broken_ = true;
  throw Error(ErrorKind::outside, "study '" + study_ + "' was taken over by " + winner + ": this driver writes no more",
              "it goes on there; look at it with `dlrun status`", database_.path().string());
}

void Transaction::commit(Durability durability) {
  require();
  is_broken_ = true;  // until it is known to have worked
  commit_.run();
  is_open_ = false;
  if (durability == Durability::full) sync_wal();
  is_broken_ = false;
}

/// Syncs the WAL. Without one (network file systems) the commit itself was a full one.
void Transaction::sync_wal() {
  sqlite3_file* file = nullptr;
  const int code = sqlite3_file_control(database_.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
  if (code != SQLITE_OK || file == nullptr || file->pMethods == nullptr) return;
  const int synced = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
  if (synced == SQLITE_OK) return;
  // Linux marks pages clean after a failed fsync: a second try would lie. This group may be lost.
  throw Error(ErrorKind::outside, "cannot fsync '" + database_.path().string() + "-wal': disk I/O error",
              "the disk failed; what was acknowledged is kept, run the same command again");
}

bool Transaction::rollback() {
  if (!is_open_) return false;
  is_open_ = false;
  if (sqlite3_get_autocommit(database_.handle()) == 0) rollback_.run();
  return true;
}

void Transaction::require() const {
  if (is_broken_ || !is_open_) throw Error(ErrorKind::internal, "store: written to outside of a transaction");
}

}  // namespace dlrun::storage
