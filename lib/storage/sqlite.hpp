// SPDX-License-Identifier: Apache-2.0
// SQLite behind RAII: a Database, a Statement, and the one place where SQLite's codes become errors of ours.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "util/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace dlrun::storage {

class Database;

/// Bytes to bind as a blob.
struct Blob {
  std::string_view bytes;
};

/// A file may not be written, or could only be read by writing: a journal is to be rolled back, a WAL to be recovered.
class Unwritable : public Error {
 public:
  using Error::Error;
};

/// A prepared statement. Text and blobs are bound without a copy: they must live until the step. Parameters count from
/// 1, columns from 0, as in SQLite.
class Statement {
 public:
  Statement() = default;
  Statement(Database& database, std::string_view sql);
  Statement(Statement&& other) noexcept : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)) {}
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  /// Resets, then binds from parameter 1 on: integers, double, string_view, Blob, nullopt and nullptr (NULL).
  template <class... Args>
  Statement& bind(const Args&... args) {
    reset();
    int index = 0;
    (set(++index, args), ...);
    return *this;
  }
  /// Binds and steps to the end. @return rows changed
  template <class... Args>
  int run(const Args&... args) {
    bind(args...);
    return finish();
  }
  /// Moves to the next row; false: there is none. @throws Error by the code SQLite gave.
  bool step();
  void reset();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;  ///< valid until the next step
  std::string_view blob(int column) const;
  int column_count() const;
  sqlite3_stmt* handle() { return handle_; }

  void set(int index, std::int64_t value);
  void set(int index, int value) { set(index, std::int64_t(value)); }
  void set(int index, bool value) { set(index, std::int64_t(value)); }
  void set(int index, double value);  ///< NaN and infinities become NULL
  void set(int index, std::string_view value);
  void set(int index, const std::string& value) { set(index, std::string_view(value)); }
  void set(int index, const char* value) { set(index, std::string_view(value)); }
  void set(int index, Blob value);
  void set(int index, std::nullptr_t);
  template <class T>
  void set(int index, const std::optional<T>& value) {
    if (value) {
      set(index, *value);
    } else {
      set(index, nullptr);
    }
  }

 private:
  int finish();
  Database* database_ = nullptr;
  sqlite3_stmt* handle_ = nullptr;
};

/// `file:` URI of a path with a query; '?', '#' and '%' in the path are escaped.
std::string file_uri(const std::filesystem::path& path, std::string_view query);

/// An open database file. Not copied, not moved: statements point at it.
class Database {
 public:
  enum class Mode {
    create,     ///< the file must not exist
    write,      ///< the file must exist
    read,       ///< mode=ro, sees a driver's commits as they come
    immutable,  ///< mode=ro&immutable=1: for folders that cannot be written; rows still in a WAL are not seen
  };
  /// @throws Error(store) not a database, damaged; Error(outside) cannot be opened, read or written.
  Database(const std::filesystem::path& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// One or more statements without results.
  void run(const std::string& sql);
  Statement prepare(std::string_view sql) { return {*this, sql}; }
  /// First column of the first row. @throws as step(); an empty result is Error(store).
  std::int64_t integer(std::string_view sql);
  std::string text(std::string_view sql);
  /// A copy by SQLite's own backup: consistent whatever stands in the WAL and whoever writes.
  void copy_to(const std::filesystem::path& file);

  sqlite3* handle() { return handle_; }
  const std::filesystem::path& path() const { return path_; }
  Mode mode() const { return mode_; }
  /// Turns a result code into the Error it is: store for damage and locks, outside for disk and I/O.
  [[noreturn]] void fail(int code, const std::string& attempted) const;
  /// Rejects a file that was deleted or replaced: SQLite would write on to the old one, where nobody finds it.
  /// @throws Error(store) that says so, with the holder of the study's lock
  void require_unmoved();
  /// Closes now. Statements must be gone. @throws where SQLite says it is busy.
  void close();

 private:
  bool could_not_read() const;
  [[noreturn]] void refuse_moved() const;
  std::filesystem::path path_;
  Mode mode_;
  sqlite3* handle_ = nullptr;
};

}  // namespace dlrun::storage
