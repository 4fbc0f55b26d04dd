// SPDX-License-Identifier: Apache-2.0
// The last lines of logs that agents get.
#include "agent/log_tail.hpp"

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace log_tail_test {

using namespace dlrun;
using dlrun::cli::agent::LogTail;

TEST_CASE("the last lines of several logs stay", "[cli][agent]") {
  LogTail tail(2);
  tail.append("a\nb\n");
  CHECK(tail.is_whole());
  tail.append("c");
  CHECK(tail.lines() == std::vector<std::string>{"b", "c"});
  CHECK_FALSE(tail.is_whole());
}

TEST_CASE("of a huge log only its end is read", "[cli][agent]") {
  const dlrun::support::TempFolder folder;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i) + "\n";
  write_file(folder.path() / "log.txt", text, {.durable = false});
  LogTail tail(1'000'000);
  tail.add_file(folder.path() / "log.txt");
  tail.add_file(folder.path() / "no-such-file");
  REQUIRE(!tail.is_empty());
  CHECK(tail.lines().back() == "line 99999");
  CHECK(tail.lines().front().starts_with("line 9"));
  CHECK_FALSE(tail.is_whole());
  std::size_t bytes = 0;
  for (const std::string& line : tail.lines()) bytes += line.size();
  CHECK(bytes <= 40'000);
}

TEST_CASE("one endless line is cut", "[cli][agent]") {
  LogTail tail(10);
  tail.append(std::string(1'000'000, 'x'));
  CHECK(tail.lines().at(0).size() == 1'000);
  CHECK_FALSE(tail.is_whole());
}

}  // namespace log_tail_test
