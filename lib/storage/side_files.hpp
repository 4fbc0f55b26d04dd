// SPDX-License-Identifier: Apache-2.0
// Files beside a study's database: `.head`, the newest row of the log, by which a lost tail is noticed, and on network
// file systems `.db-snapshot`, a copy for readers.
#pragma once
#include <chrono>
#include <filesystem>
#include <string>

#include "storage/log_table.hpp"
#include "storage/transaction.hpp"

namespace dlrun::storage {

class SideFiles {
 public:
  SideFiles(std::filesystem::path folder, std::string study);

  /// Compares the log with the head that was written.
  /// @return a warning that the last rows are lost; empty: none are
  /// @throws Error(store) if the row is another one
  std::string compare(LogTable& log, const std::filesystem::path& database) const;
  /// Brings the files up to date from time to time. Call it after each commit. A driver that was taken over while it
  /// committed leaves the head of the driver after it.
  void follow(Database& database, const LogTable& log, const WriterLock& lock, Durability durability);
  /// The head at a clean end, durably; no snapshot is needed any more.
  void finish(const std::filesystem::path& database, const Head& head) const;

 private:
  std::filesystem::path head_file() const;
  void write_snapshot(Database& database) const;

  std::filesystem::path folder_;
  std::string study_;
  bool is_on_network_;
  std::chrono::steady_clock::time_point head_written_, snapshot_written_;
};

}  // namespace dlrun::storage
