// SPDX-License-Identifier: Apache-2.0
// The same study gives the same export: on any number of workers, after kill -9 of the driver or of workers, after
// interruptions.
#include "support.hpp"
#include "support/catch.hpp"

namespace identity_test {

using namespace dlrun;
using namespace dlrun::e2e;

namespace {

/// One worker, four, and three whose driver is killed after so many results: the same export.
void check_identity(Bench& bench, std::initializer_list<std::int64_t> moments) {
  REQUIRE(bench.run("calm", 1).finished);
  REQUIRE(bench.run("four", 4).finished);
  CHECK(bench.logical("four") == bench.logical("calm"));
  for (const std::int64_t moment : moments) {
    const pid_t driver = bench.start("killed", 3);
    REQUIRE(wait_for(
        [&] { return has_ended(driver) || (bench.results("killed") >= moment && !children(driver).empty()); }));
    ::kill(driver, SIGKILL);
    code_of(driver);
  }
  REQUIRE(bench.run("killed", 3).finished);
  CHECK(bench.logical("killed") == bench.logical("calm"));
}

}  // namespace

TEST_CASE("a study runs to its end", "[e2e]") {
  Bench bench(kHalving);
  const driver::Summary summary = bench.run("store", 2);
  CHECK(summary.finished);
  CHECK_FALSE(summary.interrupted);
  CHECK(summary.completed + summary.pruned == 60);
  CHECK(summary.failed == 0);
  REQUIRE(summary.best.has_value());
  CHECK(bench.number("store", "select count(*) from trials") == 60);
  CHECK(bench.display.last.trials_done == 60);
  SECTION("the same command again says so and starts nothing") {
    const std::string before = bench.logical("store");
    auto options = bench.options("store", 2);
    options.worker_binary = "/nonexistent";
    QuietDisplay display;
    const driver::Summary again = driver::run_study(bench.spec(), options, display);
    CHECK(again.finished);
    CHECK(again.best == summary.best);
    CHECK(again.best_trial == summary.best_trial);
    CHECK(bench.logical("store") == before);
  }
}

TEST_CASE("the number of workers does not matter", "[e2e][identity]") {
  Bench bench(kHalving);
  REQUIRE(bench.run("one", 1).finished);
  REQUIRE(bench.run("four", 4).finished);
  CHECK(bench.logical("one") == bench.logical("four"));
  CHECK(bench.logical("one").size() > 1000);
}

TEST_CASE("the driver may be killed again and again", "[e2e][identity][faults]") {
  Bench bench(kHalving);
  REQUIRE(bench.run("calm", 1).finished);
  for (const std::int64_t moment : {0, 1, 5, 10, 20, 30, 45, 60}) {
    const pid_t driver = bench.start("killed", 2);
    REQUIRE(wait_for(
        [&] { return has_ended(driver) || (bench.results("killed") >= moment && !children(driver).empty()); }));
    const auto workers = children(driver);
    ::kill(driver, SIGKILL);
    code_of(driver);
    INFO("after " << moment << " results");
    CHECK(wait_for([&] { return std::none_of(workers.begin(), workers.end(), is_alive); }));
  }
  REQUIRE(bench.run("killed", 2).finished);
  CHECK(bench.logical("killed") == bench.logical("calm"));
}

// The study may end before a round hits an attempt: what a kill does to one is counted below, where none can end.
TEST_CASE("workers may be killed at any moment", "[e2e][identity][faults]") {
  Bench bench(kHalving);
  REQUIRE(bench.run("calm", 1).finished);
  const pid_t driver = bench.start("lost", 2);
  for (int round = 0; round < 12; ++round) {  // each after a new result: workers that never get ready end the study
    const std::int64_t seen = bench.results("lost");
    REQUIRE(wait_for([&] { return has_ended(driver) || (bench.results("lost") > seen && !children(driver).empty()); }));
    for (const pid_t worker : children(driver)) ::kill(worker, SIGKILL);
  }
  CHECK(code_of(driver) == 0);
  CHECK(bench.logical("lost") == bench.logical("calm"));
}

TEST_CASE("workers may be killed again and again while what they run cannot end", "[e2e][identity][faults]") {
  constexpr int kRounds = 4, kWorkers = 2;
  Bench bench(kGated);
  REQUIRE(bench.run("calm", 1).finished);
  bench.close_gate(4);
  const pid_t driver = bench.start("lost", kWorkers);
  for (int round = 1; round <= kRounds; ++round) {
    const auto is_held = [&] {
      return bench.number("lost", "select count(*) from attempts where trial >= 4") >= round * kWorkers &&
             children(driver).size() == kWorkers;
    };
    REQUIRE(wait_for([&] { return has_ended(driver) || (bench.results("lost") >= 4 && is_held()); }));
    REQUIRE_FALSE(has_ended(driver));
    for (const pid_t worker : children(driver)) ::kill(worker, SIGKILL);
  }
  bench.open_gate();
  CHECK(code_of(driver) == 0);
  CHECK(bench.logical("lost") == bench.logical("calm"));
  CHECK(bench.number("lost", "select count(*) from attempts where state = 'lost'") == kRounds * kWorkers);
}

TEST_CASE("an interrupted study goes on", "[e2e][identity]") {
  const int signal = GENERATE(SIGINT, SIGTERM);
  Bench bench(kGated);
  REQUIRE(bench.run("calm", 4).finished);
  bench.close_gate(4);
  const pid_t driver = bench.start("interrupted", 2);
  REQUIRE(wait_for([&] { return has_ended(driver) || bench.results("interrupted") >= 4; }));
  REQUIRE_FALSE(has_ended(driver));
  ::kill(driver, signal);
  CHECK(code_of(driver) == 1);
  CHECK(bench.results("interrupted") == 4);
  bench.open_gate();
  REQUIRE(bench.run("interrupted", 3).finished);
  CHECK(bench.logical("interrupted") == bench.logical("calm"));
}

TEST_CASE("a second signal ends at once, and the study goes on later", "[e2e][identity]") {
  Bench bench(kGated);
  bench.close_gate(4);
  const pid_t driver = bench.start("store", 2);
  REQUIRE(wait_for([&] { return has_ended(driver) || bench.results("store") >= 3; }));
  const auto workers = children(driver);
  ::kill(driver, SIGINT);
  ::kill(driver, SIGTERM);
  CHECK(code_of(driver) == 1);
  CHECK(std::none_of(workers.begin(), workers.end(), is_alive));
  bench.open_gate();
  REQUIRE(bench.run("store", 4).finished);
  REQUIRE(bench.run("calm", 4).finished);
  CHECK(bench.logical("store") == bench.logical("calm"));
}

TEST_CASE("trials of several members are the same on any number of workers and after kills",
          "[e2e][identity][faults]") {
  for (const char* pruner : {"{op: asha, eta: 2}", "wilcoxon"}) {
    INFO(pruner);
    Bench bench(std::string(R"(
study: members
seed: 5
objective: {metric: value, direction: minimize}
space:
  x1: {type: float, low: -5, high: 10}
  x2: {type: float, low: 0, high: 15}
search: {sampler: random, lanes: 4, pruner: )") +
                pruner + R"(}
limits: {trials: 12}
trial: {kind: function, function: {op: branin, noise: 3, sleep: 0.002}, epochs: 4, replicates: 2, folds: 3}
)");
    check_identity(bench, {1, 4, 8});
    CHECK(bench.number("calm", "select max(members) from trials") == 6);
  }
}

TEST_CASE("a population breeds the same heirs on any number of workers and after kills", "[e2e][identity][faults]") {
  Bench bench(R"(study: bred
seed: 5
objective: {metric: value, direction: minimize}
space:
  x1: {type: float, low: -5, high: 10}
  x2: {type: float, low: 0, high: 15}
search: {sampler: random, lanes: 6, pruner: {op: pbt, population: 8}}
trial: {kind: function, function: {op: branin, noise: 3, sleep: 0.002}, epochs: 6}
)");
  check_identity(bench, {1, 8, 12});
  CHECK(bench.number("calm", "select count(*) from trials") == 8 + 5 * 2);
}

TEST_CASE("an amended study is the same on any number of workers, killed or not", "[e2e][identity][amend]") {
  Bench bench(kHalving);
  const pid_t driver = bench.start("first", 3);
  REQUIRE(wait_for([&] { return has_ended(driver) || bench.results("first") >= 12; }));
  const auto workers = children(driver);
  ::kill(driver, SIGKILL);
  code_of(driver);
  REQUIRE(wait_for([&] { return std::none_of(workers.begin(), workers.end(), is_alive); }));
  const auto copy_to = [&](const std::string& name) {
    std::filesystem::copy(bench.store("first"), bench.store(name), std::filesystem::copy_options::recursive);
  };
  for (const char* name : {"one", "four", "killed"}) copy_to(name);
  std::string changed = kHalving;
  const auto put = [&](const std::string& old, const std::string& now) {
    changed.replace(changed.find(old), old.size(), now);
  };
  put("trials: 60", "trials: 70");
  put("x: {type: float, low: -1.0", "x: {type: float, low: -0.5");
  put("lanes: 8", "lanes: 5");
  bench.write(changed);
  CHECK_THROWS_WITH(bench.run("one", 1), Contains("space.x: float -1 to 1 -> float -0.5 to 1"));
  const auto amend = [&](const std::string& store, int count) {
    driver::Options options = bench.options(store, count);
    options.amend = true;
    QuietDisplay quiet;
    return driver::run_study(bench.spec(), options, quiet).finished;
  };
  REQUIRE(amend("one", 1));
  REQUIRE(amend("four", 4));
  CHECK(bench.logical("four") == bench.logical("one"));
  CHECK(bench.number("one", "select count(*) from trials") == 70);
  CHECK(bench.number("one", "select count(*) from versions") == 2);
  CHECK(bench.number(
            "one",
            "select count(*) from params p join decisions d on d.trial = p.trial and d.kind = 'start' where "
            "p.name = 'x' and p.value < -0.5 and d.number > (select decision from versions where version = 1)") == 0);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(amend("killed", 3) ? 0 : 1);
  REQUIRE(wait_for([&] {
    return has_ended(child) ||
           (bench.number("killed", "select count(*) from versions") == 2 && bench.results("killed") >= 30);
  }));
  ::kill(child, SIGKILL);
  code_of(child);
  REQUIRE(bench.run("killed", 2).finished);  // the file is the study's now
  CHECK(bench.logical("killed") == bench.logical("one"));
}

}  // namespace identity_test
