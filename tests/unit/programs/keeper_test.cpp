// SPDX-License-Identifier: Apache-2.0
// Programs that run over several pieces, with real processes.
#include "programs/keeper.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>

#include "programs/buffering.hpp"
#include "programs/callers.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace keeper_test {

using namespace dlrun;
using namespace dlrun::programs;

namespace {

constexpr const char* kEpochs = "for e in 1 2 3 4; do echo begin $e; echo acc $e.5; done; echo done";

std::filesystem::path bin_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

/// A shell's script as the program of a trial of four steps.
struct Bench {
  Start start;
  std::vector<std::string> lines;
  std::vector<std::int64_t> steps;  ///< that were told while it ran
  std::optional<double> end;        ///< grace of the request to end, which comes once a line shows that traps are set

  explicit Bench(const std::string& script) {
    start.launch = {{"sh", "-c", script}, {"PATH=/usr/bin:/bin"}, "/tmp"};
    start.files = "/tmp";
    start.reports = {.last = 4, .regexes = {{"acc", "^acc (.*)"}}, .needed = {"acc"}};
  }
  Keeper keeper() const { return Keeper(bin_folder() / "dlrun-worker", start); }
  Listener listener() {
    return {[this](const Printed& printed) { lines.push_back(printed.line); },
            [this](const trial::Report& report) { steps.push_back(report.step); },
            [this] { return lines.empty() ? std::nullopt : end; }};
  }
  PieceOver run(Keeper& keeper, std::int64_t from, std::int64_t to) { return keeper.run({from, to}, listener()); }
};

/// A name for a file that is removed in the end.
struct TempFile {
  std::string path = "/tmp/dlrun-keeper-test-" + std::to_string(::getpid());
  ~TempFile() { std::filesystem::remove(path); }
};

/// State of a process, as the kernel has it: S, R, T (stopped), Z; empty: it is no more.
std::string state_of(int pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(stat, text)) return {};
  return text.substr(text.rfind(')') + 2, 1);
}

/// A shell whose forked child was stopped before it had begun its program is in state D until that goes on.
bool is_still(int pid) { return state_of(pid) == "T" || state_of(pid) == "D"; }

void wait_until(const std::function<bool()>& is_so) {
  for (int i = 0; i < 30'000 && !is_so(); ++i) ::usleep(1000);
  REQUIRE(is_so());
}

/// News that the owner hears once the program waits again.
Lent when_back(Keeper& keeper) {
  std::optional<Lent> news;
  wait_until([&] {
    if (!news || news->is_lent) news = keeper.news();
    return news && !news->is_lent;
  });
  return *news;
}

/// The keeper can open none any more: so many it polls, and all of these are taken.
void take_descriptors(const Keeper& keeper) {
  rlimit most{};
  REQUIRE(::prlimit(keeper.pid(), RLIMIT_NOFILE, nullptr, &most) == 0);
  most.rlim_cur = 7;
  REQUIRE(::prlimit(keeper.pid(), RLIMIT_NOFILE, &most, nullptr) == 0);
}

}  // namespace

TEST_CASE("one process serves all pieces of its trial", "[programs]") {
  Bench bench(kEpochs);
  Keeper keeper = bench.keeper();
  PieceOver over = bench.run(keeper, 0, 1);
  CHECK(over.is_parked);
  CHECK(over.reports == std::vector<trial::Report>{{1, {{"acc", 1.5}}}});
  CHECK(bench.lines == std::vector<std::string>{"begin 1", "acc 1.5"});
  over = bench.run(keeper, 1, 3);
  CHECK(over.is_parked);
  CHECK(over.reports == std::vector<trial::Report>{{2, {{"acc", 2.5}}}, {3, {{"acc", 3.5}}}});
  over = bench.run(keeper, 3, 4);
  CHECK_FALSE(over.is_parked);
  CHECK(over.status == 0);
  CHECK(over.reports == std::vector<trial::Report>{{4, {{"acc", 4.5}}}});
  CHECK(bench.lines.back() == "done");
  CHECK(bench.lines.size() == 9);
  CHECK(over.repeated == 0);
}

TEST_CASE("a report line is heard, also one without a new value", "[programs]") {
  const std::string line = GENERATE(R"({"metric":"acc","step":1,"value":1})", R"({"checkpoint":"ck","step":1})");
  Bench bench("echo '" + line + "' >&3; for i in $(seq 3000); do test -e $GO && exit; sleep 0.01; done; exit 1");
  TempFile go;
  bench.start.launch.environment.push_back("GO=" + go.path);
  bench.start.reports.known = 2;
  Keeper keeper = bench.keeper();
  Listener listener = bench.listener();
  listener.heard = [&] { write_file(go.path, "", {.durable = false}); };
  CHECK(keeper.run({2, 4}, listener).status == 0);
  CHECK(bench.lines.empty());
}

TEST_CASE("a program that waits is stopped with all below it, and goes on", "[programs]") {
  const std::string own = GENERATE("", "setsid ");  // in a session of its own
  Bench bench(own + "sleep 1000 & echo $$ $!; echo acc 1; while :; do echo acc 2; sleep 0.01; done");
  Keeper keeper = bench.keeper();
  REQUIRE(bench.run(keeper, 0, 1).is_parked);
  const int shell = std::stoi(bench.lines[0]), child = std::stoi(bench.lines[0].substr(bench.lines[0].find(' ')));
  wait_until([&] { return is_still(shell) && is_still(child); });
  REQUIRE(bench.run(keeper, 1, 2).is_parked);
  wait_until([&] { return is_still(shell) && is_still(child); });
}

TEST_CASE("a program goes on though its keeper lacks descriptors", "[programs][descriptors]") {
  const std::string own = GENERATE("", "setsid ");  // in a session of its own
  const TempFile begun;
  Bench bench(own +
              "sh -c 'echo > $BEGUN; exec sleep 1000' & while [ ! -e $BEGUN ]; do sleep 0.01; done; echo $$ $!; " +
              "echo acc 1; while :; do echo acc 2; sleep 0.01; done");
  bench.start.launch.environment.push_back("BEGUN=" + begun.path);
  Keeper keeper = bench.keeper();
  REQUIRE(bench.run(keeper, 0, 1).is_parked);
  const int child = std::stoi(bench.lines[0].substr(bench.lines[0].find(' ')));
  wait_until([&] { return is_still(child); });
  take_descriptors(keeper);
  CHECK(bench.run(keeper, 1, 2).is_parked);
  wait_until([&] { return is_still(child) == own.empty(); });  // continued; in another session not stopped again
}

TEST_CASE("nothing is left of a program whose keeper goes", "[programs]") {
  Bench bench("setsid sleep 1000 & echo $$ $!; echo acc 1; while :; do sleep 1000; done");
  {
    Keeper keeper = bench.keeper();
    REQUIRE(bench.run(keeper, 0, 1).is_parked);
  }
  const int shell = std::stoi(bench.lines[0]), child = std::stoi(bench.lines[0].substr(bench.lines[0].find(' ')));
  CHECK(state_of(shell).empty());
  CHECK(state_of(child).empty());
}

TEST_CASE("nor of one whose keeper is killed, while another goes on", "[programs]") {
  Bench other(kEpochs);
  Keeper bystander = other.keeper();
  REQUIRE(other.run(bystander, 0, 1).is_parked);
  Bench bench("setsid sleep 1000 & echo $$ $!; echo acc 1; while :; do sleep 1000; done");
  {
    Keeper keeper = bench.keeper();
    REQUIRE(bench.run(keeper, 0, 1).is_parked);
    ::kill(keeper.pid(), SIGKILL);
    CHECK(bench.run(keeper, 1, 2).is_lost);
  }
  const int shell = std::stoi(bench.lines[0]), child = std::stoi(bench.lines[0].substr(bench.lines[0].find(' ')));
  CHECK(state_of(shell).empty());
  CHECK(state_of(child).empty());
  CHECK(other.run(bystander, 1, 4).status == 0);
}

TEST_CASE("another worker of the host runs a piece, and the owner hears of it", "[programs]") {
  Bench bench(kEpochs), guest("");
  Keeper keeper = bench.keeper();
  const std::string socket = bench.run(keeper, 0, 1).socket;
  {
    Channel channel = visit(socket);
    const Listener listener = guest.listener();
    CHECK(run_piece(channel, {1, 3}, listener).reports.size() == 2);
    CHECK(guest.lines.size() == 4);
    const Lent news = when_back(keeper);
    CHECK(news.step == 3);
    CHECK(news.objective == 3.5);
  }
  CHECK(bench.run(keeper, 3, 4).status == 0);
  CHECK_THROWS_WITH(visit("dlrun-no-such-socket"), Contains("no program waits"));
}

TEST_CASE("a guest that cannot be let in hears so, and the owner goes on", "[programs][descriptors]") {
  Bench bench(kEpochs);
  Keeper keeper = bench.keeper();
  const std::string socket = bench.run(keeper, 0, 1).socket;
  take_descriptors(keeper);
  Channel guest = visit(socket);
  CHECK(run_piece(guest, {1, 2}, bench.listener()).is_lost);
  const PieceOver over = bench.run(keeper, 1, 2);
  CHECK(over.is_parked);
  CHECK(over.socket != socket);
  CHECK(visit(over.socket).fd() >= 0);
}

TEST_CASE("a guest that goes leaves its piece whole to the next one", "[programs]") {
  Bench bench("echo acc 1; echo acc 2; while [ ! -e $GO ]; do sleep 0.01; done; echo acc 3; echo acc 4"), guest("");
  TempFile go;
  bench.start.launch.environment.push_back("GO=" + go.path);
  Keeper keeper = bench.keeper();
  const std::string socket = bench.run(keeper, 0, 1).socket;
  {
    Channel channel = visit(socket);
    channel.say(to_line(RunPiece{1, 3}));
    std::optional<std::string> line;
    while ((line = channel.next()) != "oacc 2") {
      if (!line) REQUIRE(channel.read());
    }
  }
  CHECK(when_back(keeper).step == 1);
  write_file(go.path, "", {.durable = false});
  CHECK(bench.run(keeper, 1, 3).reports == std::vector<trial::Report>{{2, {{"acc", 2}}}, {3, {{"acc", 3}}}});
}

TEST_CASE("a program is asked to end, also if it waits", "[programs]") {
  Bench bench("trap 'echo bye; exit 3' TERM; echo acc 1; while :; do sleep 0.01; done");
  Keeper keeper = bench.keeper();
  SECTION("while a piece runs") {
    bench.end = 60;
    const PieceOver over = bench.run(keeper, 0, 2);
    CHECK_FALSE(over.is_parked);
    CHECK(WEXITSTATUS(over.status) == 3);
    CHECK(std::count(bench.lines.begin(), bench.lines.end(), "bye") == 1);
  }
  SECTION("between two pieces") {
    REQUIRE(bench.run(keeper, 0, 1).is_parked);
    keeper.end(60);
    CHECK(bench.run(keeper, 1, 2).is_lost);
  }
}

// Slurm signals every process of a job: the keeper died at once, and its program with it before it could save.
TEST_CASE("a keeper outlives signals that are for its program", "[programs]") {
  const auto [number, trap] = GENERATE(table<int, const char*>({{SIGTERM, "TERM"}, {SIGINT, "INT"}, {SIGHUP, "HUP"}}));
  Bench bench(std::string("trap 'echo acc 2; exit 3' ") + trap + "; echo $$; while :; do sleep 0.01; done");
  Keeper keeper = bench.keeper();
  Listener listener = bench.listener();
  listener.printed = [&, signal = number](const Printed& printed) {
    if (printed.line == "acc 2") return;
    for (const pid_t pid : {keeper.pid(), std::stoi(printed.line)}) ::kill(pid, signal);
  };
  const PieceOver over = keeper.run({0, 4}, listener);
  CHECK_FALSE(over.is_lost);
  CHECK(WEXITSTATUS(over.status) == 3);
  CHECK(over.reports == std::vector<trial::Report>{{1, {{"acc", 2}}}});
}

TEST_CASE("a program whose processes cannot be listed is asked to end all the same", "[programs][descriptors]") {
  Bench bench("trap 'echo bye; exit 3' TERM; echo acc 1; while :; do sleep 0.01; done");
  Keeper keeper = bench.keeper();
  REQUIRE(bench.run(keeper, 0, 1).is_parked);
  take_descriptors(keeper);
  keeper.end(60);
  CHECK(bench.run(keeper, 1, 2).is_lost);
}

TEST_CASE("what does not listen is killed after the grace", "[programs]") {
  Bench bench("trap '' TERM; echo acc 1; while :; do sleep 0.01; done");
  bench.end = 0.2;
  Keeper keeper = bench.keeper();
  const PieceOver over = bench.run(keeper, 0, 2);
  CHECK(WTERMSIG(over.status) == SIGKILL);
  CHECK(over.reports == std::vector<trial::Report>{{1, {{"acc", 1}}}});
}

TEST_CASE("a program that cannot be started says why", "[programs]") {
  Bench bench("");
  bench.start.launch.arguments = {"dlrun-no-such-program"};
  Keeper keeper = bench.keeper();
  const PieceOver over = bench.run(keeper, 0, 1);
  CHECK(over.fault == StartFault::program);
  CHECK_THAT(over.message, Contains("cannot run 'dlrun-no-such-program'"));
}

// A program that goes on only once a file is there, which nobody makes: its line must have come out before.
TEST_CASE("lines come when they are printed, from programs that never flush", "[programs]") {
  const auto [program, arguments] = GENERATE(table<std::string, std::vector<std::string>>(
      {{"python", {"python3", "-c", "import time\nprint('acc 1')\nwhile True: time.sleep(1)"}},
       {"C", {bin_folder() / "never_flushes"}},
       {"shell", {"sh", "-c", "echo acc 1; while :; do sleep 1; done"}}}));
  CAPTURE(program);
  Bench bench("");
  std::map<std::string, std::string> environment{{"PATH", "/usr/bin:/bin"}};
  let_lines_out(environment, line_library(bin_folder()));
  bench.start.launch.arguments = arguments;
  for (const auto& [name, value] : environment) bench.start.launch.environment.push_back(name + "=" + value);
  Keeper keeper = bench.keeper();
  CHECK(bench.run(keeper, 0, 1).is_parked);
}

// Python writes once, and what is not written then is lost.
TEST_CASE("no line is cut where a program is stopped in the middle of it", "[programs]") {
  Bench bench("");
  bench.start.launch.arguments = {"python3", "-c",
                                  "import sys\nfor e in range(1, 5):\n  print('acc', e)\n  sys.stdout.write('y' * "
                                  "300000 + '\\n')\n  print('end', e)"};
  std::map<std::string, std::string> environment{{"PATH", "/usr/bin:/bin"}};
  let_lines_out(environment, line_library(bin_folder()));
  for (const auto& [name, value] : environment) bench.start.launch.environment.push_back(name + "=" + value);
  Keeper keeper = bench.keeper();
  for (int step = 0; step < 4; ++step) {
    const PieceOver over = bench.run(keeper, step, step + 1);
    CHECK(over.reports == std::vector<trial::Report>{{step + 1, {{"acc", step + 1.0}}}});
  }
  for (int step = 1; step <= 4; ++step)
    CHECK(std::count(bench.lines.begin(), bench.lines.end(), "end " + std::to_string(step)) == 1);
}

TEST_CASE("a piece that is asked for while another worker leaves is run", "[programs]") {
  Bench bench("echo acc 1; while [ ! -e $GO ]; do sleep 0.01; done; for e in 2 3 4; do echo acc $e; done");
  TempFile go;
  bench.start.launch.environment.push_back("GO=" + go.path);
  Keeper keeper = bench.keeper();
  const std::string socket = bench.run(keeper, 0, 1).socket;
  {
    Channel guest = visit(socket);
    guest.say(to_line(RunPiece{1, 4}));
    bool is_lent = false;
    wait_until([&] {
      const auto news = keeper.news();
      return is_lent = is_lent || (news && news->is_lent);
    });
    ::kill(keeper.pid(), SIGSTOP);
    wait_until([&] { return state_of(keeper.pid()) == "T"; });
  }
  keeper.channel().say(to_line(RunPiece{1, 4}));  // beside the end of the guest's connection
  ::kill(keeper.pid(), SIGCONT);
  write_file(go.path, "", {.durable = false});
  std::optional<PieceOver> over;
  while (!over && keeper.channel().read()) {
    while (const auto line = keeper.channel().next()) {
      const Answer answer = answer_of(*line);
      if (const auto* found = std::get_if<PieceOver>(&answer)) over = *found;
    }
  }
  REQUIRE(over);
  CHECK(over->reports.size() == 3);
}

TEST_CASE("a value that is no number comes to the owner", "[programs]") {
  Bench bench("echo acc 1; echo acc nan; echo acc 3; echo acc 4"), guest("");
  Keeper keeper = bench.keeper();
  const std::string socket = bench.run(keeper, 0, 1).socket;
  Channel channel = visit(socket);
  run_piece(channel, {1, 2}, guest.listener());
  CHECK(std::isnan(when_back(keeper).objective));
}

TEST_CASE("a program that asks to be run again finds how far its checkpoint goes", "[programs]") {
  Bench bench(
      "echo from $DLRUN_FROM_STEP; cd /tmp; if [ $DLRUN_FROM_STEP = 2 ]; then echo acc 3; echo acc 4; exit 0; fi; "
      "echo acc 1; echo acc 2; echo x > $OUT; echo '::dlrun {\"checkpoint\":\"'$OUT'\",\"step\":2}'; exit 85");
  TempFile out;
  bench.start.launch.environment.push_back("OUT=" + out.path);
  bench.start.launch.environment.emplace_back("DLRUN_FROM_STEP=0");
  Keeper keeper = bench.keeper();
  const PieceOver over = bench.run(keeper, 0, 4);
  CHECK(over.status == 0);
  CHECK(std::count(bench.lines.begin(), bench.lines.end(), "from 2") == 1);
}

TEST_CASE("a program that asks to be run again counts its matches from its checkpoint", "[programs]") {
  Bench bench(
      "if [ $DLRUN_FROM_STEP = 2 ]; then echo acc 3.7; echo acc 4.7; exit 0; fi; echo x > $OUT; echo acc 1.5; "
      "echo acc 2.5; echo '::dlrun {\"checkpoint\":\"'$OUT'\",\"step\":2}'; echo acc 3.5; exit 85");
  TempFile out;
  bench.start.launch.environment.push_back("OUT=" + out.path);
  bench.start.launch.environment.emplace_back("DLRUN_FROM_STEP=0");
  Keeper keeper = bench.keeper();
  const PieceOver over = bench.run(keeper, 0, 4);
  CHECK(over.beyond == 0);
  CHECK(over.reports ==
        std::vector<trial::Report>{{1, {{"acc", 1.5}}}, {2, {{"acc", 2.5}}}, {3, {{"acc", 3.7}}}, {4, {{"acc", 4.7}}}});
}

TEST_CASE("a checkpoint that is being written when the program is stopped is not kept", "[programs]") {
  const bool is_open = GENERATE(true, false);
  Bench bench(std::string(is_open ? "exec 7> $OUT; " : "echo whole > $OUT; ") +
              "echo '::dlrun {\"checkpoint\":\"'$OUT'\",\"step\":1}'; echo acc 1; while :; do sleep 1; done");
  TempFile out;
  bench.start.launch.environment.push_back("OUT=" + out.path);
  Keeper keeper = bench.keeper();
  const PieceOver over = bench.run(keeper, 0, 1);
  CHECK(over.checkpoint.has_value() != is_open);
  CHECK(over.peak_rss > 100'000);
}

TEST_CASE("a program goes on upon the cores of the worker that continues it", "[programs]") {
  cpu_set_t all, last;
  REQUIRE(::sched_getaffinity(0, sizeof all, &all) == 0);
  if (CPU_COUNT(&all) < 2) return;  // nowhere to go
  int core = CPU_SETSIZE - 1;
  while (!CPU_ISSET(core, &all)) --core;
  CPU_ZERO(&last);
  CPU_SET(core, &last);
  Bench bench(
      "echo $$; for e in 1 2 3 4; do grep Cpus_allowed_list /proc/self/status; echo acc $e; "
      "while [ ! -e $GO ]; do sleep 0.01; done; done");
  TempFile go;
  bench.start.launch.environment.push_back("GO=" + go.path);
  Keeper keeper = bench.keeper();
  REQUIRE(bench.run(keeper, 0, 1).is_parked);
  wait_until([&] { return is_still(std::stoi(bench.lines[0])); });
  write_file(go.path, "", {.durable = false});
  REQUIRE(::sched_setaffinity(0, sizeof last, &last) == 0);
  const PieceOver over = bench.run(keeper, 1, 4);
  ::sched_setaffinity(0, sizeof all, &all);
  CHECK(over.status == 0);
  CHECK(bench.lines[1] != bench.lines[5]);
  CHECK(bench.lines[7] == "Cpus_allowed_list:\t" + std::to_string(core));
}

TEST_CASE("variables that say how a program prints stay as they are set", "[programs]") {
  std::map<std::string, std::string> environment{
      {"PYTHONUNBUFFERED", ""}, {"LD_PRELOAD", "/own.so"}, {"ASAN_OPTIONS", "detect_leaks=0"}};
  let_lines_out(environment, "/lines.so");
  CHECK(environment.at("PYTHONUNBUFFERED").empty());
  CHECK(environment.at("LD_PRELOAD") == "/own.so:/lines.so");
  CHECK(environment.at("ASAN_OPTIONS") == "detect_leaks=0:verify_asan_link_order=0");
  environment["_STDBUF_O"] = "0";
  let_lines_out(environment, "/other.so");
  CHECK(environment.at("LD_PRELOAD") == "/own.so:/lines.so");
}

TEST_CASE("a library whose path cannot be listed is not preloaded", "[programs]") {
  const support::TempFolder folder;
  for (const char* name : {"plain", "with blank", "with:colon"}) {
    std::filesystem::create_directories(folder / name / "bin");
    std::filesystem::create_directories(folder / name / "lib/dlrun");
    write_file(folder / name / "lib/dlrun/libdlrun_lines.so", "", {.durable = false});
  }
  CHECK(line_library(folder / "plain/bin") == folder / "plain/lib/dlrun/libdlrun_lines.so");
  CHECK(line_library(folder / "with blank/bin").empty());
  CHECK(line_library(folder / "with:colon/bin").empty());
  CHECK(line_library(folder / "none/bin").empty());
}

TEST_CASE("texts that are no UTF-8 come through", "[programs]") {
  Bench bench("printf '%s\\n' \"$ODD\"; printf 'acc 1\\n'");
  bench.start.launch.environment.push_back("ODD=\xff\xfe");
  bench.start.reports.last = 1;
  Keeper keeper = bench.keeper();
  CHECK(bench.run(keeper, 0, 1).status == 0);
  CHECK(bench.lines[0] == "\xff\xfe");
}

}  // namespace keeper_test
