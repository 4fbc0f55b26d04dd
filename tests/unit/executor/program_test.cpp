// SPDX-License-Identifier: Apache-2.0
#include "executor/program.hpp"

#include <chrono>

#include "support/catch.hpp"

namespace program_test {

using namespace dlrun::executor;
using Catch::Matchers::Contains;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

Program::Ended shell(const std::string& text, milliseconds deadline = seconds(300)) {
  return Program::run({"sh", "-c", text}, deadline);
}

}  // namespace

TEST_CASE("a program is run to its end, and what it printed is kept apart", "[executor][program]") {
  const auto ended = shell("echo out; echo err >&2; exit 3");
  CHECK(ended.code == 3);
  CHECK(ended.out == "out\n");
  CHECK(ended.err == "err\n");
  CHECK(shell("kill -9 $$").code == 137);
  CHECK(shell("head -c 3000000 /dev/zero").out.size() == 3000000);
  CHECK(shell("cat").out.empty());  // nothing to read
}

TEST_CASE("a program that is not there says so", "[executor][program]") {
  const auto ended = Program::run({"dlrun-no-such-program"}, seconds(300));
  CHECK(ended.code == -1);
  CHECK_THAT(ended.err, Contains("dlrun-no-such-program: No such file or directory"));
}

TEST_CASE("a program that takes too long is killed with its children", "[executor][program]") {
  const auto ended = shell("echo begun; (sleep 600) & sleep 600", milliseconds(200));
  CHECK(ended.code == -1);
  CHECK_THAT(ended.err, Contains("no answer within 0.2 s"));
  // One that left its session holds the pipe, and is not waited for.
  CHECK(shell("setsid sleep 5 & sleep 600", milliseconds(200)).code == -1);
}

TEST_CASE("a program that is stopped calls nobody", "[executor][program]") {
  boost::asio::io_context loop{1};
  bool was_called = false;
  const auto program =
      Program::start(loop, {"sleep", "600"}, seconds(600), [&](const Program::Ended&) { was_called = true; });
  program->stop();
  loop.run();
  CHECK(!was_called);
}

}  // namespace program_test
