// SPDX-License-Identifier: Apache-2.0
// Programs that wait by themselves, spoken by a shell; interpreters of Python below which trials are processes.
#include <sys/wait.h>

#include "programs/forks.hpp"
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

/// An interpreter that has imported a file, and a trial of it.
struct Functions {
  support::TempFolder folder;
  Start start;

  explicit Functions(const std::string& text) {
    write_file(folder.path() / "train.py", text);
    start.files = folder.path().string();
    start.reports = {.last = 1, .needed = {"acc"}};
    start.facts = R"({"trial": 5, "replicate": 0, "fold": 0, "attempt": 1, "params": {"x": 2}, "seed": 7, "env": {},)"
                  R"( "from_step": 0, "to_step": 1, "objective": "acc", "folder": "/tmp"})";
  }
  Forks forks() const {
    const std::string worker = (bin_folder() / "dlrun-worker").string();
    const std::string run = (bin_folder() / "python/dlrun/run.py").string();
    return Forks({{"python3", "-B", run, "fork", worker, (folder.path() / "train.py").string(), "objective"},
                  {"PATH=" + std::string(std::getenv("PATH"))},
                  folder.path().string()});
  }
  static bool goes_on() { return false; }
};

Listener deaf() {
  return {[](const Printed&) {}, [](const trial::Report&) {}, [] { return std::nullopt; }};
}

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

TEST_CASE("each trial of an interpreter is a process of its own", "[programs]") {
  Functions functions(
      "import os\ncount = []\ndef objective(trial):\n    count.append(1)\n"
      "    return {'acc': len(count), 'x': trial.params['x'], 'parent': os.getppid()}\n");
  Forks forks = functions.forks();
  for (int i = 0; i < 2; ++i) {
    const auto keeper = forks.start(functions.start, Functions::goes_on);
    REQUIRE(keeper);
    const PieceOver over = keeper->run({0, 1}, deaf());
    CHECK(over.status == 0);
    REQUIRE(over.reports.size() == 1);
    CHECK(over.reports[0].metrics ==
          std::vector<trial::Metric>{{"acc", 1}, {"parent", double(keeper->pid())}, {"x", 2}});
  }
}

TEST_CASE("output of the import, and an interpreter that ends there", "[programs]") {
  Functions functions("print('hello')\ndef objective(trial): return 1\n");
  Forks forks = functions.forks();
  REQUIRE(forks.start(functions.start, Functions::goes_on));
  CHECK(forks.take_output() == "hello\n");
  CHECK(forks.take_output().empty());
  Functions ends("import os\nos.kill(os.getpid(), 9)\n");
  Forks dead = ends.forks();
  CHECK_THROWS_WITH(dead.start(ends.start, Functions::goes_on), Contains("killed by signal 9"));
}

TEST_CASE("a trial that nobody wants any more does not wait for the import", "[programs]") {
  Functions functions("import time\ntime.sleep(600)\n");
  Forks forks = functions.forks();
  CHECK(forks.start(functions.start, [] { return true; }) == nullptr);
}

}  // namespace client_test
