// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite.hpp"

#include <sqlite3.h>

#include <cmath>

#include "storage/lock.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::storage {

namespace {

constexpr int kBusyMs = 5000;  ///< time that a reader waits for a checkpoint, a writer for a reader's snapshot

int open_flags(Database::Mode mode) {
  const int shared = SQLITE_OPEN_URI | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX;
  if (mode == Database::Mode::create) return shared | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  return shared | (mode == Database::Mode::write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
}

bool is_from_outside(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_NOLFS:
    case SQLITE_NOMEM: return true;
    default: return false;
  }
}

const char* hint_for(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL: return "make room on the disk, then run the same command again";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM: return "check that the folder exists and that you may write there, or name another with --store";
    case SQLITE_IOERR: return "the disk failed; what was acknowledged is kept, run the same command again";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return "restore the file from a backup (<name>.db.v*) or move it away";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "another program holds the file; try again";
    default: return "";
  }
}

}  // namespace

std::string file_uri(const std::filesystem::path& path, std::string_view query) {
  std::string text = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    if (c == '%') {
      text += "%25";
    } else if (c == '?') {
      text += "%3f";
    } else if (c == '#') {
      text += "%23";
    } else {
      text += c;
    }
  }
  return text.append(query);
}

Database::Database(const std::filesystem::path& path, Mode mode) : path_(path), mode_(mode) {
  const char* query = mode == Mode::read ? "?mode=ro" : mode == Mode::immutable ? "?mode=ro&immutable=1" : "";
  const int code = sqlite3_open_v2(file_uri(path, query).c_str(), &handle_, open_flags(mode), nullptr);
  if (code == SQLITE_OK) {
    sqlite3_busy_timeout(handle_, kBusyMs);
    return;
  }
  try {
    fail(code, "opening");
  } catch (...) {
    sqlite3_close_v2(handle_);
    throw;
  }
}

Database::~Database() { sqlite3_close_v2(handle_); }

void Database::close() {
  const int code = sqlite3_close(handle_);
  if (code != SQLITE_OK) fail(code, "closing");
  handle_ = nullptr;
}

void Database::require_unmoved() {
  int has_moved = 0;
  if (sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved) == SQLITE_OK && has_moved != 0)
    refuse_moved();
}

void Database::refuse_moved() const {
  std::filesystem::path lock = path_;
  const std::string holder = WriterLock::holder(lock.replace_extension(".lock"));
  throw Error(ErrorKind::store, "'" + path_.string() + "' was deleted or replaced while " + holder + " had it open",
              "nothing was written to what lies there now; bring the file back, or run the command again to begin with "
              "what is there",
              path_.string());
}

/// SQLite takes some faults of the disk for a damaged database.
bool Database::could_not_read() const {
  int fault = 0;
  if (handle_ == nullptr) return false;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_LAST_ERRNO, &fault);
  if (is_of_machine(fault)) return true;
  sqlite3_file* log = nullptr;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (log == nullptr || log->pMethods == nullptr) return false;
  fault = 0;
  log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &fault);
  return is_of_machine(fault);
}

void Database::fail(int code, const std::string& attempted) const {
  if (code == SQLITE_CANTOPEN_SYMLINK) {
    throw Error(ErrorKind::store, attempted + " '" + path_.string() + "': it is, or lies behind, a symbolic link",
                "no link inside a store is followed; put the file or folder itself there", path_.string());
  }
  if (code == SQLITE_READONLY_DBMOVED) refuse_moved();
  const std::string cause = handle_ != nullptr ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  const bool is_unread = (code & 0xff) == SQLITE_CORRUPT && could_not_read();
  const ErrorKind kind = is_unread || is_from_outside(code) ? ErrorKind::outside : ErrorKind::store;
  const std::string text = attempted + " '" + path_.string() + "': " + (is_unread ? "disk I/O error" : cause);
  if ((code & 0xff) == SQLITE_READONLY) throw Unwritable(kind, text, hint_for(code), path_.string());
  throw Error(kind, text, hint_for(code), path_.string());
}

void Database::run(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, "writing");
}

std::int64_t Database::integer(std::string_view sql) {
  Statement statement = prepare(sql);
  if (!statement.step()) throw Error(ErrorKind::store, "'" + path_.string() + "' lacks a row: " + std::string(sql));
  return statement.integer(0);
}

std::string Database::text(std::string_view sql) {
  Statement statement = prepare(sql);
  if (!statement.step()) throw Error(ErrorKind::store, "'" + path_.string() + "' lacks a row: " + std::string(sql));
  return std::string(statement.text(0));
}

void Database::copy_to(const std::filesystem::path& file) {
  write_file(file, "");  // private, before SQLite sees it
  Database target(file, Mode::write);
  sqlite3_backup* backup = sqlite3_backup_init(target.handle(), "main", handle_, "main");
  if (backup == nullptr) target.fail(sqlite3_errcode(target.handle()), "copying to");
  const int copied = sqlite3_backup_step(backup, -1),
            finished = sqlite3_backup_finish(backup);  // the end forgets "busy"
  if (finished != SQLITE_OK) target.fail(finished, "copying to");
  if (copied != SQLITE_DONE) target.fail(copied, "copying to");
}

}  // namespace dlrun::storage
