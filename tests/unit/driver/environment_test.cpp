// SPDX-License-Identifier: Apache-2.0
#include "driver/environment.hpp"

#include <unistd.h>

#include <fstream>

#include "around.hpp"
#include "support/catch.hpp"
#include "util/arithmetic.hpp"

namespace environment_test {

using namespace dlrun;

namespace {

/// The first line that begins so.
std::string line_of(const char* path, const std::string& beginning) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(beginning)) return line;
  }
  return {};
}

}  // namespace

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
  CHECK("PRETTY_NAME=\"" + found.os + "\"" == line_of("/etc/os-release", "PRETTY_NAME="));
  const std::string model = line_of("/proc/cpuinfo", "model name\t");  // only some processors say one
  CHECK((model.empty() ? "" : "model name\t: " + found.device) == model);
}

}  // namespace environment_test
