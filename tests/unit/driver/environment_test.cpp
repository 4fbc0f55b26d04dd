// SPDX-License-Identifier: Apache-2.0
#include "driver/environment.hpp"

#include <unistd.h>

#include "around.hpp"
#include "support/catch.hpp"
#include "util/arithmetic.hpp"

namespace environment_test {

using namespace dlrun;

TEST_CASE("the environment of a run has its command, host, compiler and arithmetic", "[driver][environment]") {
  const support::TempFolder folder;
  const spec::StudySpec spec = support::small_spec(folder);
  driver::Options options;
  options.command = "dlrun tune study.yaml";
  const storage::Environment found = driver::describe_environment(spec, options);
  CHECK(found.command == "dlrun tune study.yaml");
  CHECK(found.host == driver::host_name());
  CHECK(found.arithmetic == arithmetic::kVersion);
  CHECK(found.data_sha256.empty());
  CHECK(found.cores > 0);
  CHECK(found.compiler.starts_with("GCC "));
  CHECK_FALSE(found.version.empty());
}

}  // namespace environment_test
