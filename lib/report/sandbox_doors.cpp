// SPDX-License-Identifier: Apache-2.0
// Rights and costs of a query in the sandbox.
#include <sqlite3.h>

#include "report/sandbox.hpp"

namespace dlrun::report {

namespace {

constexpr int kOpsBetweenLooks = 1000;  ///< virtual machine steps between looks at the clock

bool is_forbidden(std::string_view function) {
  for (const std::string_view name : {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "zeroblob",
                                      "randomblob", "sqlite_rename_table", "sqlite_rename_column"}) {
    if (function == name) return true;
  }
  return false;
}

int authorize(void*, int action, const char*, const char* name, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION: return is_forbidden(name == nullptr ? "" : name) ? SQLITE_DENY : SQLITE_OK;
    default: return SQLITE_DENY;
  }
}

}  // namespace

void Sandbox::close_doors(std::size_t studies) {
  sqlite3* handle = database_->handle();
  database_->run("PRAGMA query_only=1; PRAGMA cell_size_check=1; PRAGMA mmap_size=0;");
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1'000'000);
  sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, 100'000);
  sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, 100);
  sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 50);
  sqlite3_limit(handle, SQLITE_LIMIT_COMPOUND_SELECT, 10 + int(studies));
  sqlite3_limit(handle, SQLITE_LIMIT_VDBE_OP, 25'000);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50);
  sqlite3_set_authorizer(handle, authorize, nullptr);
  sqlite3_progress_handler(handle, kOpsBetweenLooks, &Sandbox::is_over, this);
}

int Sandbox::is_over(void* self) {
  return std::chrono::steady_clock::now() > static_cast<Sandbox*>(self)->deadline_ ? 1 : 0;
}

}  // namespace dlrun::report
