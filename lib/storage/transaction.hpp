// SPDX-License-Identifier: Apache-2.0
// Transactions of the one writer of a study.
//
// Commits run with synchronous=NORMAL and a full one syncs the WAL itself, through SQLite's own file handle: PRAGMA
// synchronous cannot change inside a transaction, and which kind a group needs is known only at its end. The rows of a
// full commit that returned are on the disk, exactly as with synchronous=FULL.
#pragma once
#include <string>

#include "storage/lock.hpp"
#include "storage/sqlite.hpp"

namespace dlrun::storage {

/// full: on the disk when commit returns, whatever happens to the machine. normal: a power cut may take it, a crash of
/// the program does not.
enum class Durability { full, normal };

/// An opening of a study for writing: its number fences older ones.
std::int64_t take_epoch(Database& database);

class Transaction {
 public:
  /// @param study  its name
  /// @param lock_file  file of `lock`, for the message about another holder
  Transaction(Database& database, const WriterLock& lock, std::filesystem::path lock_file, std::string study,
              std::int64_t epoch);

  /// @throws Error(outside) if another driver has taken the study over: this one writes nothing more
  void require_ours();
  /// @throws as require_ours(); Error(internal) inside of a transaction or after a failed write
  void begin();
  /// @throws Error(outside): nothing of the transaction is left, and nothing more may be written
  void commit(Durability durability);
  /// @return whether there was a transaction
  bool rollback();
  /// @throws Error(internal) outside of a transaction
  void require() const;

 private:
  void require_newest();
  void sync_wal();
  [[noreturn]] void give_up(const std::string& winner);

  Database& database_;
  const WriterLock& lock_;
  std::filesystem::path lock_file_;
  std::string study_;
  std::int64_t epoch_;
  Statement begin_, commit_, rollback_, newest_writer_;
  bool is_open_ = false;
  bool is_broken_ = false;  ///< a write failed
};

}  // namespace dlrun::storage
