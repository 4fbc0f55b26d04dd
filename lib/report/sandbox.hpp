// SPDX-License-Identifier: Apache-2.0
// A connection that can only answer questions about the views: `report --sql` runs people's SQL in it.
//
// Layers, each enough against most attacks: the file is opened read-only; pragmas and temporary views come first, then
// an authorizer allows nothing but reading; a deadline, limits and a heap limit bound what a query may cost, and
// sql_apart.cpp runs those of others in a process that can be killed;
// sqlite3_stmt_readonly is asked last, for VACUUM INTO passes the authorizer.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "report/report.hpp"
#include "storage/sqlite.hpp"

struct sqlite3_stmt;

namespace dlrun::report {

/// A prepared statement that finalizes itself.
using Query = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

/// The error of a query that its deadline, or the memory it may take, ended.
[[noreturn]] void refuse_slow(const SqlOptions& options);
[[noreturn]] void refuse_large(const SqlOptions& options);

class Sandbox {
 public:
  /// Opens the studies, one as `main`, the others attached, and makes the short names (trials, params, …).
  /// @throws Error(usage) for more studies than SQLite attaches (11).
  Sandbox(const std::filesystem::path& store, const std::vector<std::string>& studies, const SqlOptions& options);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// The views by their short names, each with its columns.
  const std::vector<std::pair<std::string, std::vector<std::string>>>& tables() const { return tables_; }

  /// Executes one statement. @throws Error(usage) with SQLite's words and what would be right.
  Table execute(const std::string& statement);

  using Columns = std::function<void(const std::vector<std::string>&)>;
  using Row = std::function<void(std::vector<Json>)>;
  /// Executes one statement without holding the rows: hands over the names of the columns, then each row.
  void execute(const std::string& statement, const Columns& columns, const Row& row);

 private:
  void attach(const std::vector<std::filesystem::path>& files);
  std::vector<std::string> columns_of(std::size_t study, const char* view);
  void make_short_names(std::size_t studies);
  void close_doors(std::size_t studies);
  Query prepare(const std::string& statement);
  void fetch(sqlite3_stmt* query, const Row& row);
  /// @param statement  in which the fault may have a place
  [[noreturn]] void refuse(int code, const std::string& statement = {});
  static int is_over(void* self);

  SqlOptions options_;
  std::vector<std::pair<std::string, std::vector<std::string>>> tables_;
  std::unique_ptr<storage::Database> database_;
  std::int64_t heap_before_ = 0;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace dlrun::report
