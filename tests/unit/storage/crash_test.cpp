// SPDX-License-Identifier: Apache-2.0
// Writers that are killed, disks that are full, folders that cannot be written. Real processes, real file systems.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "storage/artifact_files.hpp"
#include "storage/codec.hpp"
#include "storage/lock.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/store.hpp"
#include "support/few_descriptors.hpp"
#include "support/private_mount.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/random.hpp"
#include "writer.hpp"

namespace crash_test {

using namespace dlrun;
using namespace dlrun::storage;
using support::TempFolder;

namespace {

/// Kills the writer after `count` of its commits and some microseconds. @return the last trial it had acknowledged
std::int64_t kill_writer(const std::filesystem::path& folder, std::int64_t first, int count, useconds_t later) {
  int pipes[2];
  REQUIRE(::pipe(pipes) == 0);
  const pid_t child = ::fork();
  if (child == 0) write_for_ever(folder, first, pipes[1]);
  ::close(pipes[1]);
  std::int64_t last = first - 1;
  for (int i = 0; i < count; ++i) REQUIRE(::read(pipes[0], &last, sizeof last) == sizeof last);
  ::usleep(later);  // only chooses where in a commit the kill falls
  ::kill(child, SIGKILL);
  std::int64_t said = 0;
  while (::read(pipes[0], &said, sizeof said) == sizeof said) last = said;
  ::close(pipes[0]);
  ::waitpid(child, nullptr, 0);
  return last;
}

/// No file of this process may grow while it lives.
class NoRoom {
 public:
  NoRoom() : signal_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  ~NoRoom() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, signal_);
  }
  NoRoom(const NoRoom&) = delete;
  NoRoom& operator=(const NoRoom&) = delete;

 private:
  void (*signal_)(int);
  rlimit before_{};
};

}  // namespace

TEST_CASE("a writer killed in the middle of a commit loses nothing acknowledged", "[storage][crash]") {
  const TempFolder folder;
  Store::create(folder.path(), support::sample_row(), {})->close();
  RandomStream random(7, {"kill"});
  std::int64_t next = 0;
  for (int round = 0; round < 15; ++round) {
    const std::int64_t acknowledged = kill_writer(folder.path(), next, 3, useconds_t(random.below(3000)));
    const auto store = Store::open(folder.path(), "sample", {});
    const Written written = read_log(*store);
    CHECK(written.is_ordered);
    CHECK(written.rows % 2 == 0);
    CHECK(written.rows / 2 > acknowledged);
    CHECK(store->warnings().empty());
    next = written.rows / 2;
  }
  CHECK(next >= 45);
}

TEST_CASE("a full disk is an error of the outside and everything committed is kept", "[storage][crash]") {
  const TempFolder folder;
  const int code = support::in_private_tmpfs(folder.path(), "size=1m", [&] {
    std::int64_t trials = 0;
    {
      auto store = Store::create(folder.path(), support::sample_row(), {});
      try {
        for (;; ++trials) support::write_trial(*store, trials, 0.5, {}, Durability::full);
      } catch (const Error& fault) {
        if (fault.kind() != ErrorKind::outside) return 1;
        if (std::string(fault.what()).find("sample.db") == std::string::npos) return 2;
      }
      try {
        store->begin();
        return 3;  // a store that failed must not be used further
      } catch (const Error&) {
      }
    }
    if (!support::remount(folder.path(), 0, "size=64m")) return support::kCannotMount;
    auto store = Store::open(folder.path(), "sample", {});
    const Written written = read_log(*store);
    if (!written.is_ordered || written.rows != 2 * trials) return 4;
    for (int i = 0; i < 200; ++i) support::write_trial(*store, trials + i, 0.5, {}, Durability::full);
    store->close();
    return 0;
  });
  if (code == support::kCannotMount) {
    WARN("skipped: no private mounts here");
    return;
  }
  CHECK(code == 0);
}

TEST_CASE("a disk too full to begin leaves no half study", "[storage][crash]") {
  const TempFolder folder;
  const int code = support::in_private_tmpfs(folder.path(), "size=64k", [&] {
    try {
      Store::create(folder.path(), support::sample_row(), {});
      return 1;
    } catch (const Error& fault) {
      if (fault.kind() != ErrorKind::outside) return 2;
    }
    if (!Store::names(folder.path()).empty() || Store::find(folder.path(), "sample")) return 3;
    return std::filesystem::exists(study_file(folder.path(), "sample", ".db.new")) ? 4 : 0;
  });
  if (code == support::kCannotMount) {
    WARN("skipped: no private mounts here");
    return;
  }
  CHECK(code == 0);
}

TEST_CASE("a read-only folder can be read, and says so to a writer", "[storage][crash]") {
  const TempFolder folder;
  const bool is_closed = GENERATE(true, false);
  const int code = support::in_private_tmpfs(folder.path(), "size=16m", [&] {
    auto store = Store::create(folder.path(), support::sample_row(), {});
    support::write_trial(*store, 0, 0.5, {}, Durability::full);
    if (is_closed) store->close();
    store.reset();
    if (!support::remount(folder.path(), MS_RDONLY, "size=16m")) return support::kCannotMount;
    if (!Store::find(folder.path(), "sample")) return 1;
    if (is_closed) {
      const auto database = open_for_reading(study_file(folder.path(), "sample", ".db"));
      if (database->integer("SELECT count(*) FROM v_trials") != 1) return 2;
    }
    try {
      Store::open(folder.path(), "sample", {});
      return 3;
    } catch (const Error& fault) {
      return fault.kind() == ErrorKind::outside ? 0 : 4;
    }
  });
  if (code == support::kCannotMount) {
    WARN("skipped: no private mounts here");
    return;
  }
  CHECK(code == 0);
}

// SQLite makes the -shm of a WAL again, here with a file that may not grow.
TEST_CASE("rows that only the WAL has are read, or it is an error", "[storage][crash]") {
  const TempFolder folder;
  Store::create(folder.path(), support::sample_row(), {})->close();
  const std::int64_t acknowledged = kill_writer(folder.path(), 0, 3, 0);
  const auto file = study_file(folder.path(), "sample", ".db");
  REQUIRE(has_rows_in_wal(file));
  std::filesystem::remove(file.string() + "-shm");
  Hashes candidates{std::string(64, 'a')};
  {
    const NoRoom none;
    CHECK_THROWS_AS(open_for_reading(file), Error);
    CHECK(remove_kept_elsewhere(folder.path(), "", candidates).has_value());
  }
  CHECK(open_for_reading(file)->integer("SELECT count(*) FROM v_trials") > acknowledged);
  CHECK_FALSE(remove_kept_elsewhere(folder.path(), "", candidates).has_value());
}

TEST_CASE("a lock that cannot be looked at counts as held", "[storage][lock][descriptors]") {
  const TempFolder folder;
  const auto file = folder.path() / "lock";
  CHECK_FALSE(WriterLock::is_held(file));
  const WriterLock lock(file, "it");
  const support::FewDescriptors few;
  CHECK(WriterLock::is_held(file));
}

TEST_CASE("a copy that cannot be made is an error", "[storage][crash]") {
  const TempFolder folder;
  const auto file = folder.path() / "study.db";
  write_file(file, "");
  Database writer(file, Database::Mode::write), reader(file, Database::Mode::write);
  writer.run("PRAGMA journal_mode = DELETE");
  writer.run("CREATE TABLE t (x)");
  reader.run("PRAGMA busy_timeout = 0");
  writer.run("BEGIN EXCLUSIVE");
  CHECK_THROWS_AS(reader.copy_to(folder.path() / "copy.db"), Error);
}

TEST_CASE("on a network file system one program writes and readers get a snapshot", "[storage][network]") {
  ::setenv("DLRUN_ASSUME_NETWORK_FS", "1", 1);
  const TempFolder folder;
  const auto file = study_file(folder.path(), "sample", ".db");
  auto store = Store::create(folder.path(), support::sample_row(), {});
  support::write_trial(*store, 0, 0.5, {}, Durability::full);
  CHECK_FALSE(std::filesystem::exists(file.string() + "-wal"));
  CHECK_FALSE(std::filesystem::exists(file.string() + "-shm"));
  CHECK(open_for_reading(file)->integer("SELECT count(*) FROM v_trials") == 1);
  support::write_trial(*store, 1, 0.5, {}, Durability::full);  // the next snapshot comes later
  CHECK(open_for_reading(file)->integer("SELECT count(*) FROM v_trials") == 1);
  store->close();
  store.reset();
  CHECK(open_for_reading(file)->integer("SELECT count(*) FROM v_trials") == 2);
  CHECK_FALSE(std::filesystem::exists(file.string() + "-snapshot"));
  ::unsetenv("DLRUN_ASSUME_NETWORK_FS");
}

}  // namespace crash_test
