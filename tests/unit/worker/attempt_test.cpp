// SPDX-License-Identifier: Apache-2.0
// What a worker keeps of one attempt: its log, and the memory it took.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"
#include "worker/attempt_log.hpp"
#include "worker/memory_peak.hpp"

namespace attempt_test {

using namespace dlrun;
using namespace dlrun::worker;

namespace {

/// Holds so many bytes for a moment.
void touch(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  std::memset(memory, 1, bytes);
  ::munmap(memory, bytes);
}

}  // namespace

TEST_CASE("a log ends at its limit, says so once, and its last lines are still known", "[worker][log]") {
  const support::TempFolder folder;
  AttemptLog log(folder.path(), 1000);
  for (int i = 0; i < 500; ++i) log.append("line " + std::to_string(i));
  const std::string text = read_file(folder / "attempt.log");
  CHECK(text.size() < 1200);
  CHECK(text.rfind("line 0\nline 1\n", 0) == 0);
  CHECK_THAT(text,
             Contains("dlrun: this log has reached its limit of 1.0 kB (resources.log_mb), more is not written\n"));
  CHECK(text.find("dlrun:") == text.rfind("dlrun:"));
  CHECK_THAT(log.tail(), Contains("line 499\n"));
}

TEST_CASE("a peak of memory is that of its own attempt", "[worker][memory]") {
  if (::access("/proc/self/clear_refs", W_OK) != 0) {
    WARN("the kernel does not reset the peak here");
    return;
  }
  constexpr std::size_t kMuch = std::size_t(200) << 20;
  const MemoryPeak large;
  touch(kMuch);
  const std::int64_t before = large.bytes();
  const MemoryPeak small;
  touch(kMuch / 10);
  CHECK(before >= std::int64_t(kMuch));
  CHECK(small.bytes() < before - std::int64_t(kMuch / 2));
  CHECK(small.bytes() >= std::int64_t(kMuch / 10));
}

}  // namespace attempt_test
