// SPDX-License-Identifier: Apache-2.0
// The value of a race's winner, without a test split.
#include <array>
#include <vector>

#include "report/race.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace race_value_test {

using namespace dlrun;

namespace {

using Runs = std::vector<std::vector<std::optional<double>>>;

/// @param runs  [contender][replicate]; the first contender has won
/// @param winner  id of its variant
storage::WinnerValue value_of(const Runs& runs, bool maximize, const std::string& winner = {}) {
  const support::TempFolder folder;
  storage::Store::create(folder.path(), support::sample_row(), space::Space());
  report::AblationStudy study;
  study.metric = "loss";
  study.maximize = maximize;
  study.spec = Json::object();
  for (const auto& one : runs) {
    report::AblationVariant variant;
    for (const auto& metric : one) variant.cells.push_back({.is_decided = true, .metric = metric});
    study.variants.push_back(variant);
  }
  study.variants[0].id = winner;
  statistics::Race race;
  race.leader = 0;
  race.end = "all replicates are run";
  const auto value = report::raced_value(report::open_study(folder.path(), "sample"), study, race);
  REQUIRE(value);
  return *value;
}

/// Value on test of a winner, of a race in folds.
/// @param tested  of its two runs
storage::WinnerValue tested_value(const std::string& variant, const Json& split, std::array<double, 2> tested) {
  const support::TempFolder folder;
  const auto store = storage::Store::create(folder.path(), support::sample_row(), space::Space());
  report::AblationStudy study;
  study.metric = "val.accuracy";
  study.spec = {{"trial", {{"data", {{"split", split}}}}}, {"derived", {{"data", {{"test", 50}}}}}};
  study.plan.folds = 2;
  study.plan.section.design = "race";
  report::AblationVariant winner;
  winner.id = variant;
  for (std::int64_t trial = 0; trial < 2; ++trial) {
    store->begin();
    store->add(support::start_of(trial));
    store->attempts().start({support::piece_of(trial), 1, 0});
    trial::PieceResult result = support::result_of(trial, 0.8);
    result.reports = {{1, {{"test.accuracy", tested[std::size_t(trial)]}}}};
    store->add(study::Event(study::PieceEnded{result}));
    store->commit(storage::Durability::normal);
    winner.cells.push_back({.is_decided = true, .metric = 0.8, .trial = trial});
  }
  study.variants.push_back(winner);
  statistics::Race race;
  race.leader = 0;
  race.end = "all replicates are run";
  return report::raced_value(report::open_study(folder.path(), "sample"), study, race).value();
}

std::string rests_on(const std::string& variant, const Json& split) {
  return tested_value(variant, split, {0.7, 0.8}).rests_on;
}

}  // namespace

// Runs that were not over counted as failed, and dropped their contender out.
TEST_CASE("a race goes on while its runs do", "[report][winner]") {
  report::AblationStudy study;
  study.plan.section.design = "race";
  study.plan.section.replicates.n = 3;
  study.plan.variants.resize(2);
  for (int i = 0; i < 2; ++i) {
    report::AblationVariant variant;
    variant.cells = {{.is_decided = true, .metric = 0.8}, {}, {}};
    study.variants.push_back(variant);
  }
  const statistics::Race running = report::race_of(study);
  CHECK(running.end.empty());
  CHECK(running.rounds == 1);
  CHECK(running.open.size() == 2);
  CHECK_FALSE(running.out[1]);
  study.variants[1].cells[1].is_decided = true;
  study.variants[0].cells[1] = {.is_decided = true, .metric = 0.8};
  CHECK(report::race_of(study).out[1]);
}

// Rows that the search had chosen by "took no part in any choice".
TEST_CASE("test rows of folds of groups are said to be others than the search's", "[report][winner]") {
  const std::string none = "which took no part in any choice", some = "which took no part in the race; in folds of";
  CHECK(rests_on("trial-3", {{"group", "g"}, {"folds", 2}}).find(some) != std::string::npos);
  CHECK(rests_on("trial-3", {{"group", nullptr}, {"folds", 2}}).find(none) != std::string::npos);
  CHECK(rests_on("bn", {{"group", "g"}, {"folds", 2}}).find(none) != std::string::npos);
}

// A value of 83.8 percent had an interval up to 1.
TEST_CASE("an accuracy in percent has no bound of 1", "[report][winner]") {
  const auto percent = tested_value("trial-3", Json(), {83, 84}), share = tested_value("trial-3", Json(), {0.83, 0.99});
  CHECK(percent.low == Approx(83.5 - 12.706 * 0.5).epsilon(1e-3));  // t of one degree
  CHECK(percent.high == Approx(83.5 + 12.706 * 0.5).epsilon(1e-3));
  CHECK(share.high == 1);
}

TEST_CASE("a race of components has no search that chose", "[report][winner]") {
  const Runs runs = {{0.95, 0.96}, {0.90, 0.92}};
  CHECK(value_of(runs, true, "trial-3").rests_on.find("the search chose") != std::string::npos);
  CHECK(value_of(runs, true, "bn").rests_on == "without the luck of having been chosen here");
}

TEST_CASE("a contender that failed after an easy fold is not the one whose value is told", "[report][winner]") {
  const double sign = GENERATE(1.0, -1.0);
  Runs runs = {{0.955, 0.86, 0.85, 0.87, 0.86}, {0.95, 0.84, 0.83, 0.85, 0.84}};
  for (auto& one : runs) {
    for (auto& value : one) *value *= sign;
  }
  const auto without = value_of(runs, sign > 0);
  runs.push_back({sign * 0.96, std::nullopt});
  const auto with = value_of(runs, sign > 0);
  CHECK(with.value == without.value);
  CHECK(sign * with.value <= 0.879 + 1e-12);
  CHECK(sign * with.value > 0.85);
}

}  // namespace race_value_test
