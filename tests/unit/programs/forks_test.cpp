// SPDX-License-Identifier: Apache-2.0
// Functions of Python whose trials are processes below servers (python/dlrun/forking.py).
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "programs/forks.hpp"
#include "programs/keeper.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/processes.hpp"

namespace forks_test {

using namespace dlrun;
using namespace dlrun::programs;

namespace {

std::filesystem::path bin_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

/// An interpreter that has imported a file, and a trial of it.
struct Functions {
  support::TempFolder folder;
  Start start;
  std::vector<std::string> lines;

  explicit Functions(const std::string& text) {
    write_file(folder.path() / "train.py", text);
    start.is_reusable = true;
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

  std::unique_ptr<Keeper> keeper(Forks& forks) const {
    auto keeper = forks.start(start, goes_on);
    REQUIRE(keeper);
    return keeper;
  }
  PieceOver run(Keeper& keeper) {
    return keeper.run({0, 1}, {[this](const Printed& printed) { lines.push_back(printed.line); },
                               [](const trial::Report&) {}, [] { return std::nullopt; }});
  }
  /// Metrics of the next trial of a keeper that is free.
  std::map<std::string, double> run_next(Keeper& keeper) {
    keeper.renew(start);
    return values(run(keeper));
  }
  static std::map<std::string, double> values(const PieceOver& over) {
    REQUIRE(over.reports.size() == 1);
    std::map<std::string, double> out;
    for (const trial::Metric& metric : over.reports[0].metrics) out[metric.name] = metric.value;
    return out;
  }
};

bool is_there(double pid) { return ::kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH; }

}  // namespace

TEST_CASE("each trial of an interpreter is a process of its own", "[programs]") {
  Functions functions(
      "import os\ncount = []\ndef objective(trial):\n    count.append(1)\n"
      "    return {'acc': len(count), 'x': trial.params['x'], 'pid': os.getpid(), 'server': os.getppid()}\n");
  Forks forks = functions.forks();
  const auto keeper = functions.keeper(forks), other = functions.keeper(forks);
  const PieceOver over = functions.run(*keeper);
  CHECK(over.status == 0);
  CHECK(over.is_free);
  const auto first = Functions::values(over), second = functions.run_next(*keeper);
  const auto beside = Functions::values(functions.run(*other));
  for (const auto& values : {first, second, beside}) CHECK((values.at("acc") == 1 && values.at("x") == 2));
  CHECK(first.at("server") == second.at("server"));
  CHECK(first.at("server") != beside.at("server"));
  CHECK(first.at("pid") != second.at("pid"));
}

TEST_CASE("a trial that crashes leaves its server to the next one", "[programs]") {
  Functions functions(
      "import os, signal\ndef objective(trial):\n    if trial.number == 5:\n        os.write(3, b'{\"half')\n"
      "        os.kill(os.getpid(), signal.SIGSEGV)\n    return 1\n");
  Forks forks = functions.forks();
  const auto keeper = functions.keeper(forks);
  const PieceOver over = functions.run(*keeper);
  CHECK(over.is_free);
  CHECK((WIFSIGNALED(over.status) && WTERMSIG(over.status) == SIGSEGV));
  CHECK(over.peak_rss > 1'000'000);
  functions.start.facts.replace(10, 1, "6");
  CHECK(functions.run_next(*keeper).at("acc") == 1);
}

TEST_CASE("processes that a trial leaves may print, and then are killed", "[programs]") {
  Functions functions(
      "import subprocess\ndef objective(trial):\n    subprocess.Popen(['sh', '-c', 'echo late'])\n"
      "    return {'acc': 1, 'pid': subprocess.Popen(['sleep', '600'], start_new_session=True).pid}\n");
  Forks forks = functions.forks();
  const auto keeper = functions.keeper(forks);
  const auto values = Functions::values(functions.run(*keeper));
  CHECK_FALSE(is_there(values.at("pid")));
  CHECK(functions.lines == std::vector<std::string>{"late"});
}

TEST_CASE("a trial finds its output as the one before did", "[programs]") {
  Functions functions(
      "import os\ndef objective(trial):\n    was = os.get_blocking(1)\n    os.set_blocking(1, False)\n"
      "    return {'acc': was}\n");
  Forks forks = functions.forks();
  const auto keeper = functions.keeper(forks);
  functions.run(*keeper);
  CHECK(functions.run_next(*keeper).at("acc") == 1);
}

TEST_CASE("processes that are killed between two trials are no trial's fault", "[programs]") {
  Functions functions("import os\ndef objective(trial): return {'acc': os.getpid(), 'server': os.getppid()}\n");
  Forks forks = functions.forks();
  const auto keeper = functions.keeper(forks);
  const auto server = static_cast<pid_t>(Functions::values(functions.run(*keeper)).at("server"));
  SECTION("the one that waits for the next trial") {
    std::vector<pid_t> ahead;
    while (ahead.empty()) ahead = children_of(server).value_or(std::vector<pid_t>());
    REQUIRE(::kill(ahead.at(0), SIGKILL) == 0);
    const std::string file = "/proc/" + std::to_string(ahead[0]) + "/stat";
    while (read_file(file).find(") Z ") == std::string::npos) {
    }
    CHECK(functions.run_next(*keeper).at("acc") != ahead.at(0));
  }
  SECTION("the server, with which its keeper ends") {
    REQUIRE(::kill(server, SIGKILL) == 0);
    CHECK(keeper->wait_for_end(std::chrono::seconds(30)));
  }
}

TEST_CASE("nothing is left of a keeper that ends", "[programs]") {
  Functions functions("import os\ndef objective(trial): return {'acc': os.getppid()}\n");
  Forks forks = functions.forks();
  auto keeper = functions.keeper(forks);
  const double server = Functions::values(functions.run(*keeper)).at("acc");
  std::vector<pid_t> ahead;
  while (ahead.empty()) ahead = children_of(static_cast<pid_t>(server)).value_or(std::vector<pid_t>());
  SECTION("by itself") { keeper.reset(); }
  SECTION("killed") {
    ::kill(keeper->pid(), SIGKILL);
    keeper.reset();
  }
  CHECK_FALSE(is_there(server));
  CHECK_FALSE(is_there(ahead.at(0)));
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

}  // namespace forks_test
