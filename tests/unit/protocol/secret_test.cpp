// SPDX-License-Identifier: Apache-2.0
#include "protocol/secret.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace secret_test {

using namespace dlrun;
using namespace dlrun::protocol;
using Catch::Matchers::Contains;

TEST_CASE("a study's key is made once, private and random", "[protocol][secret]") {
  const support::TempFolder folder;
  const auto file = folder / "s.key";
  const Secret made = keep_secret(file);
  CHECK(keep_secret(file).bytes() == made.bytes());
  CHECK(read_secret(file).bytes() == made.bytes());
  CHECK(keep_secret(folder / "t.key").bytes() != made.bytes());
  struct stat facts {};
  REQUIRE(::stat(file.c_str(), &facts) == 0);
  CHECK((facts.st_mode & 07777) == 0600);
  CHECK(facts.st_size == 32);
}

TEST_CASE("a key that others may know is refused", "[protocol][secret]") {
  const support::TempFolder folder;
  const auto file = folder / "s.key";
  SECTION("readable by the group") {
    write_file(file, std::string(32, 'k'), {.mode = 0640});
    ::chmod(file.c_str(), 0640);
    CHECK_THROWS_WITH(read_secret(file), Contains("open to others") && Contains("0640"));
    CHECK_THROWS_AS(keep_secret(file), Error);
  }
  SECTION("writable by all") {
    write_file(file, std::string(32, 'k'));
    ::chmod(file.c_str(), 0602);
    CHECK_THROWS_WITH(read_secret(file), Contains("0602"));
  }
  SECTION("too short, too long") {
    const auto size = GENERATE(0, 31, 33, 64);
    write_file(file, std::string(static_cast<std::size_t>(size), 'k'));
    CHECK_THROWS_WITH(read_secret(file), Contains("32 bytes"));
  }
  SECTION("a link, also one that leads nowhere") {
    std::filesystem::create_symlink(folder / "elsewhere", file);
    CHECK_THROWS_WITH(keep_secret(file), Contains("cannot be read"));
  }
  SECTION("not there") { CHECK_THROWS_WITH(read_secret(file), Contains("No such file")); }
}

// A worker that lost its driver ends for good at a usage error, but goes on trying after one from outside.
TEST_CASE("a key that cannot be read at the moment is a fault from outside", "[protocol][secret]") {
  const support::TempFolder folder;
  const auto file = folder / "s.key";
  keep_secret(file);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{0, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  std::optional<ErrorKind> kind;
  try {
    read_secret(file);
  } catch (const Error& fault) {
    kind = fault.kind();
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(kind == ErrorKind::outside);
}

}  // namespace secret_test
