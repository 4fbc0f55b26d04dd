// SPDX-License-Identifier: Apache-2.0
#include "disk.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace dlrun::driver_sim {

namespace {

Disk* disk = nullptr;
sqlite3_vfs* real_vfs = nullptr;

/// SQLite's file: its own part, then the real one.
struct File {
  sqlite3_file base;
  std::string* path;  ///< none: a temporary file
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File* own(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
sqlite3_file* real(sqlite3_file* file) { return own(file)->real(); }

int close_file(sqlite3_file* file) {
  const int code = real(file)->pMethods->xClose(real(file));
  delete own(file)->path;
  return code;
}

int read_file(sqlite3_file* file, void* to, int bytes, sqlite3_int64 at) {
  if (disk->is_dead()) return SQLITE_IOERR_READ;
  return real(file)->pMethods->xRead(real(file), to, bytes, at);
}

int write_file(sqlite3_file* file, const void* from, int bytes, sqlite3_int64 at) {
  if (const int fault = disk->fault_of_write(SQLITE_IOERR_WRITE)) return fault;
  if (own(file)->path != nullptr) disk->will_write(*own(file)->path, at, bytes);
  return real(file)->pMethods->xWrite(real(file), from, bytes, at);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  if (const int fault = disk->fault_of_write(SQLITE_IOERR_TRUNCATE)) return fault;
  if (own(file)->path != nullptr) disk->will_truncate(*own(file)->path, size);
  return real(file)->pMethods->xTruncate(real(file), size);
}

int sync_file(sqlite3_file* file, int) {
  if (const int fault = disk->fault_of_write(SQLITE_IOERR_FSYNC)) return fault;
  if (own(file)->path != nullptr) disk->synced(*own(file)->path);
  return SQLITE_OK;
}

template <auto kMethod, class... Arguments>
auto forward(sqlite3_file* file, Arguments... arguments) {
  return (real(file)->pMethods->*kMethod)(real(file), arguments...);
}

using Methods = sqlite3_io_methods;

const Methods kMethods = {
    2,
    close_file,
    read_file,
    write_file,
    truncate_file,
    sync_file,
    forward<&Methods::xFileSize, sqlite3_int64*>,
    forward<&Methods::xLock, int>,
    forward<&Methods::xUnlock, int>,
    forward<&Methods::xCheckReservedLock, int*>,
    forward<&Methods::xFileControl, int, void*>,
    forward<&Methods::xSectorSize>,
    forward<&Methods::xDeviceCharacteristics>,
    forward<&Methods::xShmMap, int, int, int, void volatile**>,
    forward<&Methods::xShmLock, int, int, int>,
    forward<&Methods::xShmBarrier>,
    forward<&Methods::xShmUnmap, int>,
    nullptr,
    nullptr,
};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
  file->pMethods = nullptr;
  own(file)->path = nullptr;
  if (disk->is_dead()) return SQLITE_CANTOPEN;
  const int code = real_vfs->xOpen(real_vfs, name, real(file), flags, out);
  if (code != SQLITE_OK) return code;
  if (name != nullptr) own(file)->path = new std::string(name);
  file->pMethods = &kMethods;
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs*, const char* name, int syncs) {
  if (const int fault = disk->fault_of_write(SQLITE_IOERR_DELETE)) return fault;
  disk->deleted(name);
  return real_vfs->xDelete(real_vfs, name, syncs);
}

sqlite3_vfs* wrapped() {
  static sqlite3_vfs vfs = [] {
    real_vfs = sqlite3_vfs_find(nullptr);
    sqlite3_vfs made = *real_vfs;
    made.zName = "simulated";
    made.szOsFile = int(sizeof(File)) + real_vfs->szOsFile;
    made.xOpen = open_file;
    made.xDelete = delete_file;
    return made;
  }();
  return &vfs;
}

std::int64_t size_of(const std::string& path) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path, none);
  return none ? 0 : std::int64_t(size);
}

}  // namespace

Disk::Disk(Fate& fate) : fate_(fate), random_(1, {"driver_sim", "disk"}) {
  disk = this;
  sqlite3_vfs_register(wrapped(), 1);
}

Disk::~Disk() {
  sqlite3_vfs_unregister(wrapped());
  disk = nullptr;
}

int Disk::fault_of_write(int code) {
  if (!fate_.survives()) return code;
  if (failing_ <= 0 || random_.uniform() >= failing_) return SQLITE_OK;
  ++failures_;
  return random_.below(2) == 0 ? SQLITE_FULL : code;
}

void Disk::will_write(const std::string& path, std::int64_t offset, std::int64_t bytes) {
  remember(path, offset, bytes);
}

void Disk::will_truncate(const std::string& path, std::int64_t size) { remember(path, size, size_of(path) - size); }

void Disk::remember(const std::string& path, std::int64_t offset, std::int64_t bytes) {
  Before before{size_of(path), offset, {}};
  const std::int64_t there = std::clamp<std::int64_t>(before.size - offset, 0, std::max<std::int64_t>(bytes, 0));
  before.bytes.resize(std::size_t(there));
  std::ifstream file(path, std::ios::binary);
  file.seekg(offset);
  file.read(before.bytes.data(), there);
  undo_[path].push_back(std::move(before));
}

void Disk::restore(const std::string& path, const Before& before) {
  if (!std::filesystem::exists(path)) return;
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(before.offset);
  file.write(before.bytes.data(), std::streamsize(before.bytes.size()));
  file.close();
  std::filesystem::resize_file(path, std::uintmax_t(before.size));
}

void Disk::lose_power(RandomStream& random) {
  for (auto& [path, writes] : undo_) {
    const std::size_t kept = random.below(writes.size() + 1);
    for (; writes.size() > kept; writes.pop_back()) restore(path, writes.back());
    std::error_code none;
    std::filesystem::remove(path.substr(0, path.rfind("-wal")) + "-shm", none);
  }
  undo_.clear();
}

}  // namespace dlrun::driver_sim
