// SPDX-License-Identifier: Apache-2.0
// Real control groups where they may be made, and folders that look like those of a machine where they may not.
#include "executor/memory_group.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "support/catch.hpp"
#include "util/error.hpp"

namespace memory_group_test {

using namespace dlrun;
using namespace dlrun::executor;

namespace {

/// A child in the group that waits to be killed.
pid_t sleeper(const MemoryGroup& group) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  std::ofstream(group.folder() / "cgroup.procs") << child << std::flush;
  return child;
}

}  // namespace

TEST_CASE("a group is made with its limit, and is gone with what is in it", "[executor][memory]") {
  const auto groups = MemoryGroups::find();
  if (!groups) {
    WARN("no control group may be made here");
    return;
  }
  auto group = groups->make(7, 64 << 20);
  const auto folder = group->folder();
  CHECK(first_word(Cgroup{folder, groups->version()}.file("memory.limit_in_bytes", "memory.max")) == "67108864");
  CHECK(group->oom_kills() == 0);
  const pid_t child = sleeper(*group);
  group.reset();
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WTERMSIG(status) == SIGKILL);
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("a limit that the kernel refuses leaves no group behind", "[executor][memory]") {
  const auto groups = MemoryGroups::find();
  if (!groups) {
    WARN("no control group may be made here");
    return;
  }
  const auto folder = groups->make(7, 64 << 20)->folder();
  CHECK_THROWS_WITH(groups->make(7, -5), Contains("cannot write"));
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("a group that cannot be made says which", "[executor][memory]") {
  const Cgroup nowhere{"/proc/none", 2};
  CHECK_THROWS_WITH(MemoryGroup(nowhere, "x", 1 << 20), Contains("/proc/none/x"));
}

}  // namespace memory_group_test
