// SPDX-License-Identifier: Apache-2.0
// A connection that can only answer questions about the views: what `report --sql` runs people's SQL in.
//
// Layers, each enough against most attacks: the file is opened read-only; pragmas and temporary views come first, then
// an authorizer allows nothing but reading; a deadline, limits and a heap limit bound what a query may cost;
// sqlite3_stmt_readonly is asked last, for VACUUM INTO passes the authorizer.
#pragma once
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "storage/sqlite.hpp"

struct sqlite3_stmt;

namespace dlrun::report {

/// A prepared statement that finalizes itself.
using Query = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

class Sandbox {
 public:
  /// Opens the studies, one as `main`, the others attached, and makes the short names (trials, params, …).
  /// @throws Error(usage) for more studies than SQLite attaches (11).
  Sandbox(const std::filesystem::path& store, const std::vector<std::string>& studies, const SqlOptions& options);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// Runs one statement. @throws Error(usage) with SQLite's words and what would be right.
  Table run(const std::string& statement);

 private:
  void attach(const std::vector<std::filesystem::path>& files);
  std::vector<std::string> columns_of(std::size_t study, const char* view);
  void make_short_names(std::size_t studies);
  void close_doors(std::size_t studies);
  Query prepare(const std::string& statement);
  void fetch(sqlite3_stmt* query, Table& table);
  [[noreturn]] void refuse(int code);
  static int is_over(void* self);

  SqlOptions options_;
  std::unique_ptr<storage::Database> database_;
  std::int64_t heap_before_ = 0;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace dlrun::report
