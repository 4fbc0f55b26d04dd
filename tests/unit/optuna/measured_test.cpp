// SPDX-License-Identifier: Apache-2.0
// Values of Optuna's trials as metrics by step.
#include "optuna/measured.hpp"

#include <cmath>

#include "support/catch.hpp"

namespace measured_test {

using namespace dlrun;
using optuna::Metrics;
using storage::OptunaStudy;
using storage::OptunaTrial;
using trial::Report;

namespace {

storage::OptunaNumber number(double x) { return {x, "FINITE"}; }

OptunaTrial trial(std::optional<double> value, std::map<std::int64_t, double> curve,
                  const std::string& state = "COMPLETE") {
  OptunaTrial out{.state = state};
  if (value) out.values[0] = number(*value);
  for (const auto& [step, x] : curve) out.intermediate[step] = number(x);
  return out;
}

OptunaStudy study(std::vector<OptunaTrial> trials) {
  return {.name = "s", .directions = {"MAXIMIZE"}, .attributes = {}, .trials = std::move(trials)};
}

}  // namespace

TEST_CASE("steps count from 1", "[optuna][measured]") {
  SECTION("one more, where Optuna's count from 0") {
    const OptunaStudy s = study({trial(0.5, {{0, 0.25}, {4, 0.5}}), trial(0.5, {{1, 0.5}})});
    const Metrics metrics(s);
    CHECK(metrics.reports(s.trials[0]) == std::vector<Report>{{1, {{"value", 0.25}}}, {5, {{"value", 0.5}}}});
    CHECK(metrics.reports(s.trials[1]) == std::vector<Report>{{2, {{"value", 0.5}}}});
    CHECK(metrics.steps() == 5);
  }
  SECTION("as they are, where they do so there") {
    const OptunaStudy s = study({trial(0.5, {{3, 0.5}})});
    CHECK(Metrics(s).reports(s.trials[0]) == std::vector<Report>{{3, {{"value", 0.5}}}});
  }
  SECTION("numbered, where some are negative or very large") {
    const OptunaStudy s = study({trial(0.5, {{-7, 0.25}, {3'000'000'000, 0.5}})});
    CHECK(Metrics(s).reports(s.trials[0]) == std::vector<Report>{{1, {{"value", 0.25}}}, {2, {{"value", 0.5}}}});
  }
}

TEST_CASE("a result that is not the last intermediate value has a step of its own", "[optuna][measured]") {
  const OptunaStudy s = study({trial(0.75, {{1, 0.5}}), trial(0.25, {})});
  const Metrics metrics(s);
  CHECK(metrics.reports(s.trials[0]) == std::vector<Report>{{1, {{"value", 0.5}}}, {2, {{"value", 0.75}}}});
  CHECK(metrics.reports(s.trials[1]) == std::vector<Report>{{1, {{"value", 0.25}}}});
  CHECK(metrics.results(s.trials[0]) == std::vector<double>{0.75});
}

TEST_CASE("a pruned trial without a value has the last one that it reported", "[optuna][measured]") {
  const OptunaStudy s =
      study({trial({}, {{1, 0.5}, {2, 0.25}}, "PRUNED"), trial({}, {}, "PRUNED"), trial({}, {{1, 1}}, "FAIL")});
  const Metrics metrics(s);
  CHECK(metrics.results(s.trials[0]) == std::vector<double>{0.25});
  CHECK(metrics.results(s.trials[1]).empty());
  CHECK(metrics.results(s.trials[2]).empty());
}

TEST_CASE("a result that is not finite is none", "[optuna][measured]") {
  OptunaStudy s = study({trial({}, {})});
  s.trials[0].values[0] = {{}, "INF_NEG"};
  const Metrics metrics(s);
  CHECK(metrics.results(s.trials[0]).empty());
  CHECK(std::isinf(metrics.reports(s.trials[0])[0].metrics[0].value));
}

TEST_CASE("objectives have the names that Optuna was told", "[optuna][measured]") {
  OptunaStudy s = study({});
  CHECK(Metrics(s).objective() == Json{{"metric", "value"}, {"direction", "maximize"}});
  s.directions = {"MINIMIZE", "MAXIMIZE"};
  CHECK(Metrics(s).objective()[1] == Json{{"metric", "value2"}, {"direction", "maximize"}});
  s.attributes = {{true, "study:metric_names", R"(["val loss", "val/acc"])"}};
  CHECK(Metrics(s).objective()[0]["metric"] == "val_loss");
  CHECK(Metrics(s).objective()[1]["metric"] == "val/acc");
}

TEST_CASE("constraints of both forms are bounds", "[optuna][measured]") {
  OptunaStudy s = study({trial(1, {}), trial(1, {}), trial(1, {})});
  s.trials[0].attributes = {{true, "constraints", "[0.5, -1]"}, {true, "constraints:more", "0.25"}};
  s.trials[1].attributes = {{true, "constraints", "[-0.5, -1]"}, {true, "constraints:more", "-1"}};
  s.trials[2].attributes = {{true, "constraints", "[NaN, 1]"}, {false, "constraints:mine", "3"}};
  const Metrics metrics(s);
  CHECK(metrics.feasible().size() == 3);
  CHECK(metrics.violation(s.trials[0]) == 0.75);
  CHECK(metrics.violation(s.trials[1]) == 0.0);
  CHECK_FALSE(metrics.violation(s.trials[2]));
  CHECK(metrics.reports(s.trials[0])[0].metrics.size() == 4);
}

}  // namespace measured_test
