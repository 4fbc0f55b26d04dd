// SPDX-License-Identifier: Apache-2.0
// Which programs wait and which are ended, with real ones.
#include "worker/waiting_programs.hpp"

#include <sys/resource.h>

#include "support.hpp"
#include "support/catch.hpp"

namespace waiting_programs_test {

using namespace dlrun;
using namespace dlrun::worker;

namespace {

trial::Member member(int trial) { return {trial::TrialId(trial), 0, 0}; }

/// A program that waits behind step 1 of 3.
Waiting waiting(double cost, std::int64_t step = 1, std::int64_t bytes = 0) {
  programs::Start start;
  start.launch = {{"sh", "-c", "for e in 1 2 3; do echo acc $e; done"}, {"PATH=/usr/bin:/bin"}, "/tmp"};
  start.reports = {.last = 3, .regexes = {{"acc", "acc (.*)"}}, .needed = {"acc"}};
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return {std::make_unique<programs::Keeper>(folder / "dlrun-worker", start), step, cost, bytes};
}

}  // namespace

TEST_CASE("a program is taken by the piece that begins where it waits", "[worker][command]") {
  WaitingPrograms programs({}, 1);
  programs.add(member(1), waiting(0.5, 1));
  programs.add(member(2), waiting(0.5, 2));
  CHECK(programs.take_program(member(1), 2) == nullptr);
  CHECK_FALSE(programs.has(member(1)));  // ended: no piece goes on there
  CHECK(programs.take_program(member(2), 2) != nullptr);
  CHECK(programs.take_program(member(2), 2) == nullptr);
  CHECK(programs.take_program(member(3), 1) == nullptr);
}

TEST_CASE("beyond the limit the worst of the lowest step goes", "[worker][command]") {
  WaitingPrograms programs({.programs = 2}, 1);
  programs.add(member(1), waiting(0.5, 2));
  programs.add(member(2), waiting(0.2, 1));
  programs.add(member(3), waiting(0.3, 1));
  CHECK(programs.has(member(1)));
  CHECK(programs.has(member(2)));
  CHECK_FALSE(programs.has(member(3)));
  programs.add(member(4), waiting(9, 3));
  CHECK_FALSE(programs.has(member(2)));
}

TEST_CASE("programs may hold so much memory together", "[worker][command]") {
  WaitingPrograms programs({.bytes = 100}, 1);
  programs.add(member(1), waiting(0.5, 1, 60));
  programs.add(member(2), waiting(0.4, 1, 40));
  CHECK(programs.has(member(1)));
  programs.add(member(3), waiting(0.3, 1, 1));
  CHECK_FALSE(programs.has(member(1)));
  CHECK(programs.has(member(3)));
}

TEST_CASE("where there is no room for another program the worst goes", "[worker][command]") {
  bool has_room = true;
  WaitingPrograms programs({.has_room = [&] { return has_room; }}, 1);
  programs.add(member(1), waiting(0.5));
  programs.add(member(2), waiting(0.4));
  CHECK(programs.has(member(1)));
  has_room = false;
  programs.add(member(3), waiting(0.3));
  CHECK_FALSE(programs.has(member(1)));
  CHECK(programs.has(member(2)));
  programs.end_member(member(2));
  CHECK_FALSE(programs.has(member(2)));
  CHECK(programs.has(member(3)));
}

TEST_CASE("no more wait than descriptors allow", "[worker][command]") {
  rlimit all{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &all) == 0);
  const rlimit few{132, all.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  const std::size_t most = most_by_descriptors();
  {
    WaitingPrograms programs({}, 1);
    for (int trial = 1; trial <= 4; ++trial) programs.add(member(trial), waiting(trial));
    CHECK(programs.has(member(1)));
    CHECK(programs.has(member(2)));
    CHECK_FALSE(programs.has(member(3)));
    CHECK_FALSE(programs.has(member(4)));
  }
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &all) == 0);
  CHECK(most == 2);
}

TEST_CASE("the worst program makes way", "[worker][command]") {
  WaitingPrograms programs({}, 1);
  CHECK_FALSE(programs.give_way());
  programs.add(member(1), waiting(0.5));
  programs.add(member(2), waiting(0.9));
  CHECK(programs.give_way());
  CHECK(programs.has(member(1)));
  CHECK_FALSE(programs.has(member(2)));
}

TEST_CASE("none waits where none may", "[worker][command]") {
  WaitingPrograms programs({.programs = 0}, 1);
  programs.add(member(1), waiting(0.5));
  CHECK_FALSE(programs.has(member(1)));
}

TEST_CASE("programs that wait when the worker ends may take their grace", "[worker][command]") {
  const TempFolder folder;
  const std::string file = (folder.path() / "saved").string();
  programs::Start start;
  start.launch = {
      {"sh", "-c", "trap 'sleep 0.2; echo done > " + file + "; exit' TERM; echo acc 1; while :; do sleep 0.01; done"},
      {"PATH=/usr/bin:/bin"},
      "/tmp"};
  start.reports = {.last = 3, .regexes = {{"acc", "acc (.*)"}}, .needed = {"acc"}};
  const auto bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  auto keeper = std::make_unique<programs::Keeper>(bin / "dlrun-worker", start);
  REQUIRE(keeper->run({0, 1}, {[](const auto&) {}, [](const auto&) {}, [] { return std::nullopt; }}).is_parked);
  const bool is_over = GENERATE(true, false);
  {
    WaitingPrograms programs({}, 60);
    programs.add(member(1), {std::move(keeper), 1, 0.5, 0});
    if (is_over) programs.end_trial(trial::TrialId(1));
  }
  CHECK(std::filesystem::exists(file));
}

TEST_CASE("a trial that is over leaves no program of any member", "[worker][command]") {
  WaitingPrograms programs({}, 1);
  programs.add({trial::TrialId(1), 0, 0}, waiting(1));
  programs.add({trial::TrialId(1), 1, 0}, waiting(1));
  programs.add({trial::TrialId(2), 0, 0}, waiting(1));
  programs.end_trial(trial::TrialId(1));
  CHECK_FALSE(programs.has({trial::TrialId(1), 0, 0}));
  CHECK_FALSE(programs.has({trial::TrialId(1), 1, 0}));
  CHECK(programs.has({trial::TrialId(2), 0, 0}));
}

}  // namespace waiting_programs_test
