// SPDX-License-Identifier: Apache-2.0
#include "report/sandbox.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>

#include "report/opened.hpp"
#include "report/sql_functions.hpp"
#include "report/sql_text.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

constexpr const char* kViews[] = {
    "study",      "trials",      "members",     "params",        "metrics",   "steps",    "pieces", "attempts",
    "best",       "artifacts",   "events",      "edges",         "decisions", "workers",  "notes",  "tags",
    "parameters", "environment", "divergences", "objectives",    "scores",    "versions", "starts", "start_notes",
    "energy",     "energy_rest", "repairs",     "program_files", "ranks",     "winner",   "costs",  "ablation_effects"};

std::string schema_name(std::size_t index) { return index == 0 ? "main" : "s" + std::to_string(index); }

bool is_only_space(sqlite3* handle, const char* text) {
  while (text != nullptr && *text != '\0') {
    sqlite3_stmt* more = nullptr;
    const int code = sqlite3_prepare_v2(handle, text, -1, &more, &text);
    sqlite3_finalize(more);
    if (code != SQLITE_OK || more != nullptr) return false;
  }
  return true;
}

/// The columns in order; NULL where a file lacks one.
std::string selection(const std::vector<std::string>& all, const std::vector<std::string>& mine) {
  std::string text;
  for (const std::string& column : all) {
    const bool has = std::find(mine.begin(), mine.end(), column) != mine.end();
    text += fmt::format("{}{}\"{}\"", text.empty() ? "" : ", ", has ? "" : "NULL AS ", column);
  }
  return text;
}

}  // namespace

Sandbox::Sandbox(const std::filesystem::path& store, const std::vector<std::string>& studies, const SqlOptions& options)
    : options_(options), heap_before_(sqlite3_hard_heap_limit64(options.memory)) {
  std::vector<std::filesystem::path> files;
  for (const std::string& name : studies) files.push_back(storage::study_file(store, name, ".db"));
  try {
    database_ = storage::open_for_reading(files.at(0));
    attach(files);
    add_functions(database_->handle());
    make_short_names(files.size());
    close_doors(files.size());
  } catch (...) {
    sqlite3_hard_heap_limit64(heap_before_);
    throw;
  }
}

Sandbox::~Sandbox() {
  database_.reset();
  sqlite3_hard_heap_limit64(heap_before_);
}

void Sandbox::attach(const std::vector<std::filesystem::path>& files) {
  const int most = sqlite3_limit(database_->handle(), SQLITE_LIMIT_ATTACHED, -1) + 1;
  if (files.size() > std::size_t(most)) {
    throw Error(ErrorKind::usage, fmt::format("{} studies are more than one query can see", files.size()),
                fmt::format("name at most {}", most));
  }
  for (std::size_t i = 1; i < files.size(); ++i) {
    storage::Statement attach = database_->prepare("ATTACH ? AS " + schema_name(i));
    attach.run(storage::read_only_uri(files[i]));
  }
}

std::vector<std::string> Sandbox::columns_of(std::size_t study, const char* view) {
  std::vector<std::string> names;
  storage::Statement rows = database_->prepare("SELECT name FROM pragma_table_info(?, ?)");
  const std::string table = fmt::format("v_{}", view), schema = schema_name(study);  // read as long as rows are
  rows.bind(table, schema);
  while (rows.step()) names.emplace_back(rows.text(0));
  return names;
}

/// All studies as one view. Views change only by gaining columns: where the file of an older dlrun lacks one (or the
/// whole view) it reads as NULL (or has no rows).
void Sandbox::make_short_names(std::size_t studies) {
  database_->run("PRAGMA temp_store=2;");  // before the views: it empties the temporary database
  for (const char* view : kViews) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < studies; ++i) {
      for (const std::string& column : columns_of(i, view)) {
        if (std::find(all.begin(), all.end(), column) == all.end()) all.push_back(column);
      }
    }
    std::string sql;
    for (std::size_t i = 0; i < studies; ++i) {
      const std::vector<std::string> mine = columns_of(i, view);
      if (mine.empty()) continue;
      sql += fmt::format("{} SELECT {} FROM {}.v_{}", sql.empty() ? "" : " UNION ALL", selection(all, mine),
                         schema_name(i), view);
    }
    if (sql.empty()) continue;
    database_->run(fmt::format("CREATE TEMP VIEW {} AS{}", view, sql));
    tables_.emplace_back(view, all);
  }
}

void refuse_slow(const SqlOptions& options) {
  throw Error(ErrorKind::usage, fmt::format("the query took longer than {:g} s", options.seconds),
              "narrow it, or give it more time with --timeout SECONDS");
}

void refuse_large(const SqlOptions& options) {
  throw Error(ErrorKind::usage, fmt::format("the query needs more than {} MiB of memory", options.memory >> 20),
              "narrow it, or sort and group fewer rows");
}

void Sandbox::refuse(int code, const std::string& statement) {
  const std::string words = sqlite3_errmsg(database_->handle());
  if (code == SQLITE_INTERRUPT) refuse_slow(options_);
  if (code == SQLITE_NOMEM) refuse_large(options_);
  if (code == SQLITE_AUTH || words.rfind("not authorized", 0) == 0) {
    throw Error(ErrorKind::usage, "sql: only queries are allowed: " + words, "write one SELECT statement");
  }
  const int at = statement.empty() ? -1 : sqlite3_error_offset(database_->handle());
  throw Error(ErrorKind::usage, at_place(words, statement, at, options_.first_line),
              "docs/store.md lists the views and their columns");
}

Query Sandbox::prepare(const std::string& statement) {
  sqlite3_stmt* query = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v2(database_->handle(), statement.c_str(), -1, &query, &rest);
  if (code != SQLITE_OK) refuse(code & 0xff, statement);
  Query owned(query, sqlite3_finalize);
  if (query == nullptr) throw Error(ErrorKind::usage, "sql: there is no statement", "write one SELECT statement");
  if (statement.find('\0') != std::string::npos || !is_only_space(database_->handle(), rest)) {
    throw Error(ErrorKind::usage, "sql: more than one statement", "write one SELECT statement");
  }
  if (sqlite3_stmt_readonly(query) == 0 || sqlite3_column_count(query) == 0) {
    throw Error(ErrorKind::usage, "sql: only queries are allowed", "write one SELECT statement");
  }
  return owned;
}

void Sandbox::execute(const std::string& statement, const Columns& columns, const Row& row) {
  deadline_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                     std::chrono::duration<double>(options_.seconds));
  const Query query = prepare(statement);
  std::vector<std::string> names;
  for (int i = 0; i < sqlite3_column_count(query.get()); ++i) names.emplace_back(sqlite3_column_name(query.get(), i));
  columns(names);
  fetch(query.get(), row);
}

Table Sandbox::execute(const std::string& statement) {
  Table table;
  execute(
      statement, [&](const auto& names) { table.columns = names; },
      [&](std::vector<Json> row) { table.rows.push_back(std::move(row)); });
  return table;
}

Table sql(const std::filesystem::path& store, const std::vector<std::string>& studies, const std::string& statement,
          const SqlOptions& options) {
  Sandbox sandbox(store, chosen(store, studies), options);
  return sandbox.execute(statement);
}

Table sql_tables(const std::filesystem::path& store, const std::vector<std::string>& studies) {
  const Sandbox sandbox(store, chosen(store, studies), {});
  Table table{"tables of --sql (docs/store.md says what their rows are)", {"table", "columns"}, {}, Shape::whole};
  for (const auto& [name, columns] : sandbox.tables())
    table.rows.push_back({name, fmt::format("{}", fmt::join(columns, ", "))});
  return table;
}

void Sandbox::fetch(sqlite3_stmt* query, const Row& row) {
  std::size_t bytes = 0;
  for (std::size_t rows = 0;; ++rows) {
    const int code = sqlite3_step(query);
    if (code == SQLITE_DONE) return;
    if (code != SQLITE_ROW) refuse(code & 0xff);
    if (rows == options_.rows) {
      throw Error(ErrorKind::usage, fmt::format("the query gives more than {} rows", options_.rows),
                  "add a LIMIT, or aggregate");
    }
    for (int i = 0; i < sqlite3_column_count(query); ++i) bytes += std::size_t(sqlite3_column_bytes(query, i));
    if (bytes > options_.result) {
      throw Error(ErrorKind::usage, fmt::format("the query gives more than {} MiB", options_.result >> 20),
                  "select fewer columns");
    }
    row(row_cells(query));
  }
}

}  // namespace dlrun::report
