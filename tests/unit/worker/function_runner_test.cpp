// SPDX-License-Identifier: Apache-2.0
#include "worker/function_runner.hpp"

#include <new>

#include "support.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace function_runner_test {

using namespace dlrun;
using namespace dlrun::worker;

namespace {

trial::WorkSetup setup_with(Json function) {
  trial::WorkSetup setup;
  setup.trial = {{"kind", "function"}, {"function", std::move(function)}};
  setup.parameters = {{"x2", ""}, {"x10", ""}, {"fault", "function.fault"}, {"opt", ""}};
  setup.metric = "value";
  return setup;
}

trial::PieceResult run(const Json& function, const trial::PieceOrder& order) {
  FakeHost host;
  return make_function_runner(setup_with(function))->run(order, host);
}

}  // namespace

TEST_CASE("coordinates are the numeric parameters without a place, in natural order", "[worker][function]") {
  const auto result = run({{"op", "quadratic"}}, order_in("", {{"x10", 1.3}, {"x2", 0.3}, {"opt", "sgd"}}));
  REQUIRE(result.reports.size() == 1);
  CHECK(result.reports[0].metrics[0].value == Approx(2.0));  // x10 is the second: weight 2
}

TEST_CASE("a learning curve goes on where the last piece ended", "[worker][function]") {
  const Json function = {{"op", "sphere"}, {"curve", 2.0}, {"noise", 0.1}};
  auto order = order_in("", {{"x2", 0.5}}, 6);
  const auto whole = run(function, order);
  order.from_step = 3;
  const auto rest = run(function, order);
  REQUIRE(whole.reports.size() == 6);
  REQUIRE(rest.reports.size() == 3);
  CHECK(rest.reports == std::vector<trial::Report>(whole.reports.begin() + 3, whole.reports.end()));
  CHECK(whole.reports[0].metrics[0].value > whole.reports[5].metrics[0].value);
}

TEST_CASE("faults happen as ordered", "[worker][function]") {
  const auto with = [](const char* fault, int attempts = 0) {
    return Json{{"op", "sphere"}, {"fault", fault}, {"fault_step", 2}, {"fault_attempts", attempts}};
  };
  const auto order = order_in("", {{"x2", 0.5}}, 3);
  CHECK_THROWS_AS(run(with("exception"), order), std::runtime_error);
  CHECK_THROWS_AS(run(with("oom"), order), std::bad_alloc);
  CHECK_THROWS_WITH(run(with("crahs"), order), Contains("no fault 'crahs'"));
  const auto diverged = run(with("nan"), order);
  CHECK(diverged.outcome == trial::Outcome::failed);
  CHECK(diverged.cause == trial::Cause::nan);
  CHECK(diverged.message == "value is nan at epoch 2");
  CHECK(diverged.reports.size() == 2);
  auto again = order;
  again.attempt = 2;
  CHECK(run(with("exception", 1), again).outcome == trial::Outcome::completed);
}

TEST_CASE("a parameter may choose the fault", "[worker][function]") {
  auto order = order_in("", {{"x2", 0.5}, {"fault", "inf"}});
  order.sets = {{"function.fault", "inf"}};
  CHECK(run({{"op", "sphere"}, {"fault", "none"}}, order).message == "value is infinite at epoch 1");
}

TEST_CASE("a function that is asked to stop stops between two steps", "[worker][function]") {
  FakeHost host;
  host.stop_when = [](const FakeHost& h) { return h.steps >= 3; };
  const auto runner = make_function_runner(setup_with({{"op", "sphere"}}));
  CHECK_THROWS_AS(runner->run(order_in("", {{"x2", 0.5}}, 100), host), trial::Stopped);
  CHECK(host.reports.size() == 2);
}

}  // namespace function_runner_test
