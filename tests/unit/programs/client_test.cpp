// SPDX-License-Identifier: Apache-2.0
// Programs that wait by themselves, spoken by a shell.
#include <sys/wait.h>

#include <csignal>

#include "programs/callers.hpp"
#include "programs/keeper.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace client_test {

using namespace dlrun;
using namespace dlrun::programs;

namespace {

std::filesystem::path bin_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

/// Says a line of the client, and reads one of the keeper.
constexpr const char* kShell =
    "say() { echo \"$1\" >&3; }; hear() { read -r line <&4; echo \"heard $line\"; }; "
    "value() { say \"{\\\"metric\\\": \\\"acc\\\", \\\"step\\\": $1, \\\"value\\\": $1.5}\"; }; ";

struct Bench {
  Start start;
  std::vector<std::string> lines;

  explicit Bench(const std::string& script) {
    start.launch = {{"bash", "-c", kShell + script}, {"PATH=/usr/bin:/bin"}, "/tmp"};
    start.files = "/tmp";
    start.reports = {.last = 4, .needed = {"acc"}};
  }
  Keeper keeper() const { return Keeper(bin_folder() / "dlrun-worker", start); }
  Listener listener() {
    return {[this](const Printed& printed) { lines.push_back(printed.line); }, [](const trial::Report&) {},
            [] { return std::nullopt; }};
  }
  PieceOver run(Keeper& keeper, std::int64_t from, std::int64_t to) { return keeper.run({from, to}, listener()); }
};

}  // namespace

TEST_CASE("a client waits for its next piece by itself", "[programs]") {
  Bench bench("say '{\"client\": 1}'; value 1; say '{\"waits\": 1}'; hear; hear; value 2; exit 3");
  Keeper keeper = bench.keeper();
  const PieceOver first = bench.run(keeper, 0, 1);
  CHECK(first.is_parked);
  const PieceOver second = bench.run(keeper, 1, 4);
  CHECK(bench.lines == std::vector<std::string>{"heard {\"to\":1}", "heard {\"to\":4}"});
  CHECK(WEXITSTATUS(second.status) == 3);
  CHECK(second.reports == std::vector<trial::Report>{{2, {{"acc", 2.5}}}});
}

TEST_CASE("a client whose step lacks a metric may go on", "[programs]") {
  Bench bench("say '{\"client\": 1}'; hear; say '{\"waits\": 1}'; hear; value 1; say '{\"waits\": 1}'; hear");
  Keeper keeper = bench.keeper();
  CHECK(bench.run(keeper, 0, 1).is_parked);
  CHECK(bench.lines == std::vector<std::string>{"heard {\"to\":1}", "heard {\"on\":1}"});
}

TEST_CASE("a client that waits is told of its end, and not by a signal", "[programs]") {
  Bench bench(
      "trap 'echo hurt' TERM; say '{\"client\": 1}'; hear; value 1; say '{\"waits\": 1}'; hear; echo \"$line\" >FILE");
  const support::TempFolder folder;
  const std::string file = (folder.path() / "said").string();
  std::string& script = bench.start.launch.arguments[2];
  script.replace(script.find("FILE"), 4, file);
  Keeper keeper = bench.keeper();
  CHECK(bench.run(keeper, 0, 1).is_parked);
  keeper.end(30);
  CHECK(keeper.wait_for_end(std::chrono::seconds(30)));
  CHECK(read_file(file) == "{\"stop\":\"shutdown\",\"grace_s\":30}\n");
}

TEST_CASE("an interpreter runs one trial after another", "[programs]") {
  Bench bench("while hear; do case $line in *trial*) value 1; say '{\"done\": 3}';; esac; done");
  bench.start.facts = R"({"trial": 1})";
  bench.start.is_reusable = true;
  Keeper keeper = bench.keeper();
  const PieceOver first = bench.run(keeper, 0, 4);
  CHECK(first.is_free);
  CHECK(WEXITSTATUS(first.status) == 3);
  bench.start.facts = R"({"trial": 2})";
  keeper.renew(bench.start);
  const PieceOver second = bench.run(keeper, 0, 4);
  CHECK(second.is_free);
  CHECK(second.reports == first.reports);
  CHECK(std::count(bench.lines.begin(), bench.lines.end(), "heard {\"trial\": 2}") == 1);
}

TEST_CASE("an interpreter that leaves its trial is free", "[programs]") {
  Bench bench("say '{\"client\": 1}'; hear; hear; value 1; say '{\"waits\": 1}'; hear; say '{\"done\": 0}'; hear");
  bench.start.facts = R"({"trial": 1})";
  bench.start.is_reusable = true;
  Keeper keeper = bench.keeper();
  CHECK(bench.run(keeper, 0, 1).is_parked);
  CHECK_FALSE(keeper.is_free());
  keeper.leave(30);
  keeper.wait_until_free(std::chrono::seconds(30));
  CHECK(keeper.is_free());
  CHECK_FALSE(keeper.has_ended());
}

// An owner which had not heard that asked the process to leave: it ended, with the next trial that it was given.
TEST_CASE("an interpreter that a guest has freed stays so if it is asked to leave its trial", "[programs]") {
  Bench bench(
      "while hear; do case $line in *trial*) say '{\"client\": 1}'; hear; value 1; say '{\"waits\": 1}'; hear; "
      "say '{\"done\": 1}';; esac; done"),
      guest("");
  bench.start.facts = R"({"trial": 1})";
  bench.start.is_reusable = true;
  Keeper keeper = bench.keeper();
  Channel channel = visit(bench.run(keeper, 0, 1).socket);
  CHECK(run_piece(channel, {1, 2}, guest.listener()).is_free);
  keeper.leave(30);
  keeper.wait_until_free(std::chrono::seconds(30));
  REQUIRE(keeper.is_free());
  keeper.renew(bench.start);
  CHECK(bench.run(keeper, 0, 1).is_parked);
}

// A guest of a trial that was left waited for ever, or had a piece of the interpreter's next trial.
TEST_CASE("guests of a trial that is left are sent away", "[programs]") {
  Bench bench(
      "say '{\"client\": 1}'; hear; hear; value 1; say '{\"waits\": 1}'; hear; say '{\"done\": 0}'; "
      "hear; hear; value 1; say '{\"waits\": 1}'; hear"),
      guest("");
  bench.start.facts = R"({"trial": 1})";
  bench.start.is_reusable = true;
  Keeper keeper = bench.keeper();
  const std::string socket = bench.run(keeper, 0, 1).socket;
  ::kill(keeper.pid(), SIGSTOP);  // so that it hears both at once
  keeper.leave(30);
  Channel channel = visit(socket);
  channel.say(to_line(RunPiece{1, 2}));
  ::kill(keeper.pid(), SIGCONT);
  CHECK(run_piece(channel, {1, 2}, guest.listener()).is_lost);
  keeper.wait_until_free(std::chrono::seconds(30));
  REQUIRE(keeper.is_free());
  CHECK_THROWS_AS(visit(socket), Error);
  keeper.renew(bench.start);
  CHECK(bench.run(keeper, 0, 1).is_parked);
}

}  // namespace client_test
