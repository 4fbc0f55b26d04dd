// SPDX-License-Identifier: Apache-2.0
// The table dl_log: rows are appended and read back, never changed.
#pragma once
#include <functional>
#include <string>

#include "storage/chain.hpp"
#include "storage/codec.hpp"
#include "storage/sqlite.hpp"

namespace dlrun::storage {

/// Text that the first row of the log is chained to: everything of the study that never changes, and the name that it
/// began with, which its first spec has.
std::string chain_origin(Database& database);

class LogTable {
 public:
  explicit LogTable(Database& database);

  void append(const Coded& row);
  /// Every row in order. @throws Error(store) naming the first row that does not fit the chain or cannot be read.
  void replay(const std::function<void(const LogRow&)>& row);
  /// Reads the head from the file again, after a rollback.
  void reload();
  Head head() const;
  /// Is the row that `head` names there, with that hash? nullopt: the log is shorter.
  std::optional<bool> holds(const Head& head);

 private:
  void require_its_spec(const study::Event& event, std::int64_t seq);
  Database& database_;
  std::string origin_;
  Chain chain_;
  Statement insert_;
};

}  // namespace dlrun::storage
