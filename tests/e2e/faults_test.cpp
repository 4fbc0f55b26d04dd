// SPDX-License-Identifier: Apache-2.0
// Trials that go wrong, worlds that do not fit.
#include <sys/stat.h>

#include <cstdlib>

#include <fmt/format.h>

#include "report/trial_reader.hpp"
#include "storage/store.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace faults_test {

using namespace dlrun;
using namespace dlrun::e2e;

namespace {

/// Final causes of the trials whose fault was `fault`, each with the number of its attempts.
std::vector<std::pair<std::string, std::int64_t>> ends_of(const Bench& bench, const std::string& fault) {
  std::vector<std::pair<std::string, std::int64_t>> out;
  const auto table = bench.sql("store",
                               "select t.cause, t.attempts from trials t join params p on p.trial = t.trial "
                               "where p.name = 'fault' and p.value = '" +
                                   fault + "' order by t.trial");
  for (const auto& row : table.rows)
    out.emplace_back(row[0].is_null() ? "" : row[0].get<std::string>(), row[1].get<std::int64_t>());
  return out;
}

}  // namespace

TEST_CASE("each fault has its cause and its retries", "[e2e][faults]") {
  const auto [fault, cause, attempts] =
      GENERATE(table<std::string, std::string, std::int64_t>({{"crash", "signal", 2},
                                                              {"abort", "signal", 2},
                                                              {"kill", "worker_lost", 6},
                                                              {"exit", "worker_lost", 6},
                                                              {"exception", "exception", 1},
                                                              {"oom", "oom", 1},
                                                              {"nan", "nan", 1}}));
  Bench bench(faulty("none, " + fault));
  const auto summary = bench.run("store", fault == "oom" ? 1 : 2);  // beside another it would run once more, alone
  CHECK(summary.finished);
  const auto ends = ends_of(bench, fault);
  REQUIRE_FALSE(ends.empty());
  CHECK(summary.failed == static_cast<std::int64_t>(ends.size()));
  CHECK(summary.completed == 12 - summary.failed);
  for (const auto& end : ends) CHECK(end == std::pair(cause, attempts));
}

TEST_CASE("who lacks memory even alone fails by it, after one attempt more at most", "[e2e][faults]") {
  Bench bench(faulty("none, oom"));
  const auto summary = bench.run("store", 3);
  CHECK(summary.finished);
  const auto ends = ends_of(bench, "oom");
  REQUIRE_FALSE(ends.empty());
  for (const auto& [cause, attempts] : ends) {
    CHECK(cause == "oom");
    CHECK(attempts <= 2);
  }
  CHECK(bench.number("store", "select count(*) from attempts where cause = 'oom'") == summary.failed);
}

TEST_CASE("a fault that passes leaves no trace in the result", "[e2e][faults][identity]") {
  Bench calm(faulty("none, none2", "", ""));
  Bench bench(faulty("none, crash", "", ", fault_attempts: 1"));
  const auto summary = bench.run("store", 2);
  CHECK(summary.finished);
  CHECK(summary.completed == 12);
  CHECK(bench.number("store", "select count(*) from attempts where cause = 'signal'") > 0);
}

TEST_CASE("a hanging trial times out and the study goes on", "[e2e][faults]") {
  Bench bench(faulty("none, hang", ", hang: 1s"));
  const auto summary = bench.run("store", 4);
  CHECK(summary.finished);
  const auto ends = ends_of(bench, "hang");
  REQUIRE_FALSE(ends.empty());
  for (const auto& end : ends) CHECK(end == std::pair(std::string("timeout"), std::int64_t(1)));
}

TEST_CASE("another spec under the same name is refused with what differs", "[e2e]") {
  Bench bench(kHalving);
  REQUIRE(bench.run("store", 2).finished);
  std::string other = kHalving;
  other.replace(other.find("lanes: 8"), 8, "lanes: 4");
  bench.write(other);
  try {
    bench.run("store", 2);
    FAIL("it ran");
  } catch (const Error& fault) {
    CHECK(fault.kind() == ErrorKind::store);
    CHECK_THAT(fault.what(), Contains("search.lanes: 8 -> 4"));
  }
}

TEST_CASE("a second driver is told who holds the study", "[e2e][faults]") {
  Bench bench(kGated);
  bench.close_gate(0);
  const pid_t first = bench.start("store", 1);
  REQUIRE(wait_for([&] { return !children(first).empty(); }));
  try {
    bench.run("store", 1);
    FAIL("it ran");
  } catch (const Error& fault) {
    CHECK(fault.kind() == ErrorKind::store);
    CHECK_THAT(std::string(fault.what()) + fault.hint(), Contains(std::to_string(first)));
  }
  CHECK_FALSE(has_ended(first));
  ::kill(first, SIGKILL);
  code_of(first);
}

TEST_CASE("a missing worker leaves no half study", "[e2e][faults]") {
  Bench bench(kHalving);
  auto options = bench.options("store", 1);
  options.worker_binary = bench.folder() / "dlrun-worker";
  QuietDisplay display;
  try {
    driver::run_study(bench.spec(), options, display);
    FAIL("it ran");
  } catch (const Error& fault) {
    CHECK(fault.kind() == ErrorKind::no_worker);
    CHECK_THAT(fault.what(), Contains("dlrun-worker"));
  }
  CHECK_FALSE(std::filesystem::exists(bench.store("store") / "studies" / "sphere.db"));
}

TEST_CASE("people can ask, cancel and stop", "[e2e][control]") {
  Bench bench(kGated);
  bench.close_gate(0);
  const auto ask = [&](const Json& request) { return driver::ask_running(bench.store("store"), "sphere", request); };
  CHECK_FALSE(ask({{"command", "status"}}).has_value());
  const pid_t driver = bench.start("store", 2);
  REQUIRE(wait_for([&] { return ask({{"command", "status"}}).has_value(); }));
  REQUIRE(wait_for([&] { return ask({{"command", "status"}}).value().at("trials").get<int>() > 2; }));
  CHECK(ask({{"command", "cancel"}, {"trial", 1}}) == Json{{"ok", true}});
  CHECK_THAT(ask({{"command", "cancel"}, {"trial", 1}}).value().at("error").get<std::string>(), Contains("cancelled"));
  CHECK(ask({{"command", "cancel"}, {"trial", 999}}).value().contains("error"));
  CHECK(ask({{"command", "retry"}, {"trial", 0}}).value().contains("error"));
  CHECK(ask({{"command", "dance"}}).value().contains("error"));
  CHECK(ask(Json::array()).value().contains("error"));
  CHECK(ask({{"command", "stop"}}) == Json{{"ok", true}});
  CHECK(code_of(driver) == 1);
  CHECK_FALSE(ask({{"command", "status"}}).has_value());
  CHECK(bench.sql("store", "select state from trials where trial = 1").rows.at(0).at(0) == "cancelled");
}

TEST_CASE("what a person asked for gets one trial, also when the driver is killed", "[e2e][control][faults]") {
  Bench bench(kGated);
  bench.close_gate(4);
  const auto ask = [&](const Json& request) { return driver::ask_running(bench.store("store"), "sphere", request); };
  const pid_t driver = bench.start("store", 2);
  REQUIRE(wait_for([&] { return bench.results("store") >= 4; }));
  CHECK(ask({{"command", "enqueue"}, {"values", {{"x", 0.125}, {"y", 0.25}}}}) == Json{{"ok", true}});
  ::kill(driver, SIGKILL);
  code_of(driver);
  bench.open_gate();
  REQUIRE(bench.run("store", 2).finished);
  CHECK(bench.number("store", "select count(*) from trials") == 13);
  CHECK(bench.number("store",
                     "select count(*) from params a join params b on a.trial = b.trial where a.name = 'x' and "
                     "b.name = 'y' and a.value = 0.125 and b.value = 0.25") == 1);
}

namespace {

/// @param rest  More of the search, then the other keys.
std::string asking(const std::string& rest) {
  return R"(study: asking
seed: 4
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: 0, high: 1}
  b: {type: float, low: 0, high: 1}
  n: {type: int, low: 1, high: 8}
constraints: [x + b <= 1]
search:
  sampler: tpe
  lanes: 4
  enqueue: [{x: 0.25, b: 0.5, n: 3}, {n: 7}, {x: 0.875}]
)" + rest;
}

const std::string kAsking = asking(R"(  pruner: {op: asha, eta: 3, min_budget: 1, max_budget: 9}
limits: {trials: 40}
trial: {kind: function, function: {op: sphere, curve: 1.0, sleep: 0.02}, epochs: 9}
)");

const std::string kGatedAsking = asking("limits: {trials: 40}\n" + kGatedTrial);

std::int64_t trials_with(const Bench& bench, double x, double b, int n) {
  return bench.number("store",
                      fmt::format("select count(*) from params p join params q on p.trial = q.trial join params "
                                  "r on r.trial = p.trial where p.name = 'x' and q.name = 'b' and r.name = 'n' "
                                  "and p.value = {} and q.value = {} and r.value = {}",
                                  x, b, n));
}

/// As `dlrun enqueue` does while no driver runs.
void ask_stopped(const Bench& bench, const space::Values& values) {
  const auto store = storage::Store::open(bench.store("store"), "asking", bench.spec().space);
  store->begin();
  store->add(study::EnqueueAsked{values});
  store->commit(storage::Durability::full);
  store->close();
}

}  // namespace

TEST_CASE("a driver that is killed again and again tries what its study asks for once, and ends alike",
          "[e2e][identity][faults][enqueue]") {
  Bench bench(kAsking);
  REQUIRE(bench.run("calm", 1).finished);
  for (const std::int64_t moment : {0, 1, 2, 3, 10, 30}) {
    const pid_t driver = bench.start("store", 2);
    REQUIRE(
        wait_for([&] { return has_ended(driver) || (bench.results("store") >= moment && !children(driver).empty()); }));
    ::kill(driver, SIGKILL);
    code_of(driver);
  }
  REQUIRE(bench.run("store", 2).finished);
  CHECK(bench.logical("store") == bench.logical("calm"));
  CHECK(bench.number("store", "select count(*) from trials") == 40);
  CHECK(trials_with(bench, 0.25, 0.5, 3) == 1);
  CHECK(bench.number("store", "select value from params where trial = 1 and name = 'n'") == 7);
}

TEST_CASE("what is asked for while drivers run and die is neither lost nor tried twice", "[e2e][faults][enqueue]") {
  Bench bench(kGatedAsking);
  const auto values = [](int k) { return space::Values{k / 64.0, 0.5, std::int64_t(5)}; };
  const auto ask = [&](const Json& request) { return driver::ask_running(bench.store("store"), "asking", request); };
  for (int k = 1; k <= 3; ++k) {
    bench.close_gate(8 * k + 2);
    const pid_t driver = bench.start("store", 2);
    REQUIRE(wait_for([&] {
      return has_ended(driver) || (bench.results("store") >= 8 * k && ask({{"command", "status"}}));
    }));
    const Json request = {{"command", "enqueue"}, {"values", {{"x", k / 64.0}, {"b", 0.5}, {"n", 5}}}};
    CHECK(ask(request) == Json{{"ok", true}});  // committed by then
    ::kill(driver, SIGKILL);
    code_of(driver);
    ask_stopped(bench, values(k + 10));
    ask_stopped(bench, values(k));  // who got no answer asks again
  }
  bench.open_gate();
  REQUIRE(bench.run("store", 2).finished);
  for (int k = 1; k <= 3; ++k) {
    CHECK(trials_with(bench, k / 64.0, 0.5, 5) == 1);
    CHECK(trials_with(bench, (k + 10) / 64.0, 0.5, 5) == 1);
  }
  CHECK(bench.number("store", "select count(*) from trials") == 46);
  const std::string before = bench.logical("store");
  REQUIRE(bench.run("store", 3).finished);  // replay of all of it
  CHECK(bench.logical("store") == before);
}

TEST_CASE("a stale endpoint is no driver", "[e2e][control]") {
  Bench bench(kHalving);
  const pid_t driver = bench.start("store", 1);
  const auto endpoint = bench.store("store") / "studies" / "sphere.endpoint";
  REQUIRE(wait_for([&] { return std::filesystem::exists(endpoint); }));
  ::kill(driver, SIGKILL);
  code_of(driver);
  REQUIRE(std::filesystem::exists(endpoint));
  CHECK_FALSE(driver::ask_running(bench.store("store"), "sphere", {{"command", "status"}}).has_value());
  REQUIRE(bench.run("store", 1).finished);
  CHECK_FALSE(std::filesystem::exists(endpoint));
}

TEST_CASE("the limit of time ends a study that can go on", "[e2e]") {
  std::string slow = halving_of("0.05");
  slow.replace(slow.find("limits: {"), 9, "limits: {wall: 1s, ");
  Bench bench(slow);
  const auto summary = bench.run("store", 2);
  CHECK_FALSE(summary.finished);
  CHECK_FALSE(summary.interrupted);
  CHECK_THAT(summary.reason, Contains("limits.wall"));
}

TEST_CASE("any program can be a trial", "[e2e][command]") {
  Bench bench(R"(study: shell
seed: 1
objective: {metric: loss, direction: minimize}
space:
  x: {type: float, low: 0.0, high: 1.0}
search: {sampler: random, lanes: 4}
limits: {trials: 6}
trial:
  kind: command
  command: [sh, -c, 'echo working; echo "{{\"result\": {{\"loss\": {x}}}}}" >&3']
  epochs: 1
)");
  const auto summary = bench.run("store", 2);
  CHECK(summary.finished);
  CHECK(summary.completed == 6);
  CHECK(bench.number("store",
                     "select count(*) from trials t join params p on p.trial = t.trial "
                     "where abs(t.objective - p.value) < 1e-12") == 6);
  const auto logs = report::TrialReader(bench.store("store"), {"shell", 0}).logs();
  REQUIRE_FALSE(logs.empty());
}

}  // namespace faults_test
