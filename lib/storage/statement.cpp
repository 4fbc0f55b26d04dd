// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <cmath>

#include "storage/sqlite.hpp"
#include "util/error.hpp"

namespace dlrun::storage {

Statement::Statement(Database& database, std::string_view sql) : database_(&database) {
  const int code =
      sqlite3_prepare_v3(database.handle(), sql.data(), int(sql.size()), SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
  if (code != SQLITE_OK) database.fail(code, "reading");
}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(database_, other.database_);
  std::swap(handle_, other.handle_);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  try {
    database_->fail(code, sqlite3_stmt_readonly(handle_) != 0 ? "reading" : "writing");
  } catch (...) {
    sqlite3_reset(handle_);
    throw;
  }
}

int Statement::finish() {
  while (step()) {
  }
  sqlite3_reset(handle_);
  return sqlite3_changes(database_->handle());
}

void Statement::reset() { sqlite3_reset(handle_); }

bool Statement::is_null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }
double Statement::real(int column) const { return sqlite3_column_double(handle_, column); }
int Statement::column_count() const { return sqlite3_column_count(handle_); }

std::string_view Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  return {bytes == nullptr ? "" : bytes, std::size_t(sqlite3_column_bytes(handle_, column))};
}

std::string_view Statement::blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  return {bytes == nullptr ? "" : bytes, std::size_t(sqlite3_column_bytes(handle_, column))};
}

void Statement::set(int index, std::int64_t value) { sqlite3_bind_int64(handle_, index, value); }

void Statement::set(int index, double value) {
  if (std::isfinite(value)) {
    sqlite3_bind_double(handle_, index, value);
  } else {
    sqlite3_bind_null(handle_, index);
  }
}

void Statement::set(int index, std::string_view value) {
  sqlite3_bind_text64(handle_, index, value.data() == nullptr ? "" : value.data(), value.size(), SQLITE_STATIC,
                      SQLITE_UTF8);
}

void Statement::set(int index, Blob value) {
  sqlite3_bind_blob64(handle_, index, value.bytes.data(), value.bytes.size(), SQLITE_STATIC);
}

void Statement::set(int index, std::nullptr_t) { sqlite3_bind_null(handle_, index); }

}  // namespace dlrun::storage
