// SPDX-License-Identifier: Apache-2.0
// A driver that is killed while it starts a worker leaves a child that holds the lock until its exec: the same command,
// given at once, was refused.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "storage/artifact_files.hpp"
#include "storage/lock.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"

namespace lock_ghost_test {

using namespace dlrun;
using namespace dlrun::storage;

TEST_CASE("a lock that a dead driver's child still holds is waited for", "[storage][lock]") {
  const support::TempFolder folder;
  const auto file = folder / "s.lock";
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t driver = ::fork();
  if (driver == 0) {
    const WriterLock lock(file, "study 's'");
    if (::fork() == 0) {  // shares the lock's description, as between fork and exec
      [[maybe_unused]] const ssize_t said = ::write(ready[1], "x", 1);
      ::usleep(300000);
    }
    ::_exit(0);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  REQUIRE(::waitpid(driver, nullptr, 0) == driver);
  CHECK_NOTHROW(WriterLock(file, "study 's'"));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("a lock that a living process holds is refused at once", "[storage][lock]") {
  const support::TempFolder folder;
  const WriterLock lock(folder / "s.lock", "study 's'");
  CHECK_THROWS_WITH(WriterLock(folder / "s.lock", "study 's'"), Contains(std::to_string(::getpid())));
}

namespace {

/// How often this process has the file open.
int times_open(const std::filesystem::path& file) {
  int times = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", none))
    times += std::filesystem::read_symlink(entry.path(), none) == file ? 1 : 0;
  return times;
}

}  // namespace

// One of two imports at a time ended with "the store is being written".
TEST_CASE("the lock of a store's artifacts is waited for", "[storage][lock]") {
  const support::TempFolder folder;
  const auto file = std::filesystem::canonical(folder.path()) / "gc.lock";
  auto first = std::make_optional(lock_artifacts(folder.path()));
  CHECK_FALSE(try_lock_artifacts(folder.path()));
  std::atomic<bool> has_it = false;
  std::thread second([&] {
    const WriterLock lock = lock_artifacts(folder.path());
    has_it = true;
  });
  while (times_open(file) < 2 && !has_it) std::this_thread::yield();
  CHECK_FALSE(has_it);
  first.reset();
  second.join();
  CHECK(has_it);
}

TEST_CASE("a lock that is held is refused, whatever its file says", "[storage][lock]") {
  for (const char* text : {"", "[1]", "7", "{\"pid\": \"x\"}"}) {
    const support::TempFolder folder;
    const WriterLock lock(folder / "s.lock", "study 's'");
    std::ofstream(folder / "s.lock") << text;
    CHECK_THROWS_AS(WriterLock(folder / "s.lock", "study 's'"), Error);
  }
}

}  // namespace lock_ghost_test
