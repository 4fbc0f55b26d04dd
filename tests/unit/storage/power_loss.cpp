// SPDX-License-Identifier: Apache-2.0
#include "power_loss.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "util/random.hpp"

namespace dlrun {

namespace {

constexpr std::size_t kSector = 512;

struct Change {
  std::size_t at = 0;
  std::string bytes;
  bool is_cut = false;  ///< the file ends at `at`
};

struct Contents {
  std::string durable;
  bool is_durable = false;  ///< the file itself was there, or was synced since
  std::vector<Change> pending;
};

std::map<std::string, Contents> disk;
int calls_left = 0;
RandomStream* choice = nullptr;

void apply(const Change& change, std::string& bytes) {
  if (change.is_cut) return bytes.resize(std::min(bytes.size(), change.at));
  bytes.resize(std::max(bytes.size(), change.at + change.bytes.size()));
  bytes.replace(change.at, change.bytes.size(), change.bytes);
}

/// All of it, nothing, or some of its sectors.
void apply_perhaps(const Change& change, std::string& bytes) {
  const auto fate = choice->below(3);
  if (fate == 0) return;
  if (fate == 1 || change.is_cut) return apply(change, bytes);
  for (std::size_t at = 0; at < change.bytes.size(); at += kSector) {
    if (choice->below(2) == 0) apply({change.at + at, change.bytes.substr(at, kSector)}, bytes);
  }
}

[[noreturn]] void power_off() {
  disk.erase("");  // temporary files have no name
  for (auto& [path, file] : disk) {
    std::filesystem::remove(path + "-shm");
    if (!file.is_durable && choice->below(2) == 0) {
      std::filesystem::remove(path);
      continue;
    }
    for (const Change& change : file.pending) apply_perhaps(change, file.durable);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << file.durable;
  }
  ::_exit(9);
}

void count_call() {
  if (--calls_left == 0) power_off();
}

/// What SQLite holds of a file of ours; the real one lies behind it.
struct File {
  sqlite3_file base;
  Contents* contents;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File& of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }

int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
  count_call();
  of(file).contents->pending.push_back(
      {std::size_t(at), std::string(static_cast<const char*>(bytes), std::size_t(count))});
  sqlite3_file* real = of(file).real();
  return real->pMethods->xWrite(real, bytes, count, at);
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  count_call();
  of(file).contents->pending.push_back({std::size_t(size), "", true});
  sqlite3_file* real = of(file).real();
  return real->pMethods->xTruncate(real, size);
}

int sync(sqlite3_file* file, int flags) {
  count_call();
  Contents& contents = *of(file).contents;
  for (const Change& change : contents.pending) apply(change, contents.durable);
  contents.pending.clear();
  contents.is_durable = true;
  sqlite3_file* real = of(file).real();
  return real->pMethods->xSync(real, flags);
}

/// The rest goes to the real file as it is.
template <auto Method, class... Arguments>
auto pass(sqlite3_file* file, Arguments... arguments) {
  sqlite3_file* real = of(file).real();
  return (real->pMethods->*Method)(real, arguments...);
}

using Io = sqlite3_io_methods;
constexpr Io kMethods = {
    2,
    pass<&Io::xClose>,
    pass<&Io::xRead, void*, int, sqlite3_int64>,
    write,
    truncate,
    sync,
    pass<&Io::xFileSize, sqlite3_int64*>,
    pass<&Io::xLock, int>,
    pass<&Io::xUnlock, int>,
    pass<&Io::xCheckReservedLock, int*>,
    pass<&Io::xFileControl, int, void*>,
    pass<&Io::xSectorSize>,
    pass<&Io::xDeviceCharacteristics>,
    pass<&Io::xShmMap, int, int, int, void volatile**>,
    pass<&Io::xShmLock, int, int, int>,
    pass<&Io::xShmBarrier>,
    pass<&Io::xShmUnmap, int>,
    nullptr,
    nullptr,
};

sqlite3_vfs* real_vfs = nullptr;

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  const bool was_there = name != nullptr && std::filesystem::exists(name);
  std::memset(file, 0, sizeof(File));
  const int code = real_vfs->xOpen(real_vfs, name, of(file).real(), flags, out_flags);
  if (code != SQLITE_OK) return code;
  of(file).contents = &disk.try_emplace(name == nullptr ? "" : name).first->second;
  if (was_there && !of(file).contents->is_durable) *of(file).contents = {read_all(name), true, {}};
  of(file).base.pMethods = &kMethods;
  return SQLITE_OK;
}

int remove(sqlite3_vfs*, const char* name, int sync_folder) {
  disk[name] = {};  // a handle of it may still be open
  return real_vfs->xDelete(real_vfs, name, sync_folder);
}

/// The log goes to the database after forty pages, as in a study of many thousand rows. SQLite sets its own number when
/// a connection has been opened, so ours is set at its first statement.
int set_checkpoints(unsigned, void* database, void*, void*) {
  return sqlite3_wal_autocheckpoint(static_cast<sqlite3*>(database), 40);
}

int checkpoint_often(sqlite3* database, char**, const void*) {
  return sqlite3_trace_v2(database, SQLITE_TRACE_STMT, set_checkpoints, database);
}

}  // namespace

void lose_power_after(int calls, std::uint64_t seed) {
  static sqlite3_vfs ours;
  static RandomStream random(seed, {"power"});
  real_vfs = sqlite3_vfs_find(nullptr);
  ours = *real_vfs;
  ours.zName = "power_loss";
  ours.szOsFile = int(sizeof(File)) + real_vfs->szOsFile;
  ours.xOpen = open;
  ours.xDelete = remove;
  calls_left = calls;
  choice = &random;
  sqlite3_vfs_register(&ours, 1);
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(checkpoint_often));
}

}  // namespace dlrun
