// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/catch.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/json.hpp"
#include "util/sha256.hpp"

namespace util_test {

using namespace dlrun;

TEST_CASE("SHA-256 of abc is the published digest", "[util][sha256]") {
  CHECK(Sha256::hex_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("the nearest name is offered and a far one is not", "[util][edit_distance]") {
  CHECK(edit_distance("dense_tow", "dense_two") == 1);
  CHECK(nearest_name("optimiser", {"objective", "optimizer"}) == "optimizer");
  CHECK(nearest_name("zzz", {"objective", "optimizer"}).empty());
}

TEST_CASE("a file is replaced as a whole and a missing one is named", "[util][files]") {
  const auto folder = std::filesystem::temp_directory_path() / "dlrun-util-test";
  make_folders(folder);
  write_file(folder / "a", "one");
  write_file(folder / "a", "two", {.durable = false});
  CHECK(read_file(folder / "a") == "two");
  CHECK_THROWS_WITH(read_file(folder / "none"), Contains("No such file"));
  CHECK_THROWS_AS(write_file(folder / "no" / "such" / "a", "x"), Error);
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a pipe is written to and stays a pipe", "[util][files]") {
  const auto pipe = std::filesystem::temp_directory_path() / "dlrun-util-test-pipe";
  std::filesystem::remove(pipe);
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  write_file(pipe, "one");
  char read[8] = {};
  CHECK(::read(reader, read, sizeof read) == 3);
  CHECK(std::string(read) == "one");
  CHECK(std::filesystem::is_fifo(pipe));
  ::close(reader);
  std::filesystem::remove(pipe);
}

TEST_CASE("JSON that nests too deep or overflows is an error, never a crash", "[util][json]") {
  CHECK_THROWS_AS(parse_json(std::string(100000, '['), "x"), Error);
  CHECK_THROWS_AS(parse_json("1e400", "x"), Error);
  CHECK_THROWS_AS(parse_json("{", "x"), Error);
  CHECK(to_text(parse_json(R"({"b":1,"a":0.1})", "x")) == R"({"a":0.1,"b":1})");
}

}  // namespace util_test
