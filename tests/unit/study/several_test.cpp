// SPDX-License-Identifier: Apache-2.0
// Several objectives and bounds, inside a study.
#include "study/objective.hpp"
#include "unit/study/helpers.hpp"

namespace several_test {

using namespace dlrun;
using namespace dlrun::test;

namespace {

constexpr double kMissing = -1;

/// Loss x, size (1 - x)^2, of which at least 0.04 is asked where it is bounded.
PieceResult sized(const Study& study, const StartPiece& start, double size = kMissing) {
  PieceResult r = result_of(study, start);
  const double x = std::get<double>(study.trial(start.key.member.trial).values[0]);
  for (trial::Report& report : r.reports) {
    report.metrics = {{"loss", x}, {"size", size == kMissing ? (1 - x) * (1 - x) : size}};
  }
  return r;
}

void play(Study& study, Player& player) {
  player.decide();
  while (!player.queue.empty()) {
    player.absorb(PieceEnded{sized(study, player.pop())});
    player.decide();
  }
}

Rules both(std::int64_t trials) {
  Rules r = rules(2, trials);
  r.further = {{"size"}};
  return r;
}

}  // namespace

TEST_CASE("a study of two objectives has a front, and its best is the best of it by the first", "[study][several]") {
  Study study = make(both(6));
  Player player(study);
  play(study, player);
  REQUIRE(study.is_finished());
  CHECK(study.front().size() == 6);  // the less of one, the more of the other
  for (int i = 0; i < 6; ++i) {
    const TrialView trial = study.trial(TrialId(i));
    const double x = std::get<double>(trial.values[0]);
    CHECK(trial.further == std::vector<double>{(1 - x) * (1 - x)});
    CHECK(player.rows[trial.id].further == trial.further);
    CHECK_FALSE(trial.violation.has_value());
    CHECK(study.trial(*study.best()).objective <= trial.objective);
  }
}

TEST_CASE("an infeasible trial is never the best", "[study][feasible]") {
  Rules r = rules(1, 8);
  r.bounds = {{"size", 0.25, true}};  // x of at least 0.5
  Study study = make(r);
  Player player(study);
  play(study, player);
  int infeasible = 0;
  for (int i = 0; i < 8; ++i) {
    const TrialView trial = study.trial(TrialId(i));
    const double size = (1 - *trial.objective) * (1 - *trial.objective);
    CHECK(*trial.violation == Approx(std::max(0.0, size / 0.25 - 1)));
    if (*trial.violation > 0) ++infeasible;
  }
  REQUIRE(infeasible > 0);
  CHECK(*study.trial(*study.best()).objective >= 0.5);
  CHECK(study.front().size() == 1);

  r.bounds = {{"size", 2, false}};
  Study never = make(r);
  Player other(never);
  play(never, other);
  CHECK(never.is_finished());
  CHECK_FALSE(never.best().has_value());
  CHECK(never.front().empty());
}

TEST_CASE("a target is met by feasible trials only", "[study][feasible]") {
  Rules r = rules(1, 30);
  r.limits.target = 0.9;
  r.bounds = {{"size", 0.25, true}};
  Study study = make(r);
  Player player(study);
  play(study, player);
  CHECK_THAT(study.finish_reason(), Contains("met the target"));
  CHECK(*study.trial(*study.best()).violation == 0);
}

TEST_CASE("a search of two objectives stalls when nothing joins the front", "[study][several]") {
  Rules r = both(50);
  r.limits.stall = 4;
  Study study = make(r);
  Player player(study);
  player.decide();
  while (!player.queue.empty()) {  // every size is larger than the first: with the loss they say nothing new
    const StartPiece start = player.pop();
    PieceResult result = sized(study, start, 1 + double(start.key.member.trial.value));
    for (trial::Report& report : result.reports) report.metrics[0].value = 1 + double(start.key.member.trial.value);
    player.absorb(PieceEnded{result});
    player.decide();
  }
  CHECK(study.finish_reason() == "no trial joined the front in 4 trials");
}

TEST_CASE("what is bounded counts at the epoch that the objective is from", "[study][feasible]") {
  Rules r;
  r.objective = {"loss", false, true};
  r.further = {{"acc", true, true}};
  r.bounds = {{"size", 4, true}, {"rate", 0, false}};
  const std::vector<trial::Report> reports = {{1, {{"loss", 3}, {"acc", 1}, {"size", 7}, {"rate", 1}}},
                                              {2, {{"loss", 1}, {"acc", 5}, {"size", 8}}},
                                              {3, {{"loss", 2}, {"acc", 4}, {"size", 9}}}};
  std::vector<double> extras(3, std::numeric_limits<double>::quiet_NaN());
  REQUIRE_FALSE(measure_extras(r, reports, 2, extras).has_value());
  CHECK(extras == std::vector<double>{5, 8, 1});
  CHECK(excess_of(r.bounds[0], 8) == 1);
  CHECK(excess_of(r.bounds[1], 1) == -1);
  SECTION("a later piece that says nothing new changes nothing") {
    REQUIRE_FALSE(measure_extras(r, {{4, {{"loss", 9}}}}, 2, extras).has_value());
    CHECK(extras == std::vector<double>{5, 8, 1});
  }
  SECTION("what was never reported is a fault, and so is what is no number") {
    std::vector<double> none(3, std::numeric_limits<double>::quiet_NaN());
    const auto fault = measure_extras(r, {{1, {{"loss", 1}, {"acc", 1}}}}, 1, none);
    REQUIRE(fault.has_value());
    CHECK(fault->message == "no value of 'size' was reported");
    const auto nan = measure_extras(r, {{5, {{"acc", 1}, {"size", NAN}, {"rate", 1}}}}, 5, extras);
    REQUIRE(nan.has_value());
    CHECK(nan->cause == Cause::nan);
  }
}

}  // namespace several_test
