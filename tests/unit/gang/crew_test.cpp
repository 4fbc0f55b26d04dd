// SPDX-License-Identifier: Apache-2.0
// A gang that does not gather. Programs are the system's.
#include <stdlib.h>

#include "gang/crew.hpp"
#include "gang/rollcall.hpp"
#include "protocol/secret.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace crew_test {

using namespace dlrun;
using namespace dlrun::gang;

namespace {

/// Another PATH until it goes.
class Path {
 public:
  explicit Path(const std::string& folders) : before_(::getenv("PATH")) { ::setenv("PATH", folders.c_str(), 1); }
  ~Path() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

}  // namespace

TEST_CASE("a rank that ends before all have come is noticed at once", "[gang]") {
  const support::TempFolder folder;
  Meeting meeting{{0, 0, 1}};
  meeting.key = (folder.path() / "key").string();
  protocol::keep_secret(meeting.key);
  write_file(folder.path() / "srun", "#!/bin/sh\nsleep 1\n", {.durable = false});
  std::filesystem::permissions(folder.path() / "srun", std::filesystem::perms::owner_all);
  const Path path(folder.path().string() + ":/usr/bin:/bin");
  std::string why;
  try {
    const Crew crew("/bin/false", meeting);
  } catch (const NotGathered& fault) {
    why = fault.what();
  }
  CHECK(why == "process 1 of a gang ended by exit code 1");
}

}  // namespace crew_test
