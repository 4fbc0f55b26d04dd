// SPDX-License-Identifier: Apache-2.0
// Epochs to a target, by a running median of three.
#include "report/final_runs.hpp"
#include "support/catch.hpp"

namespace final_test {

using namespace dlrun;
using namespace dlrun::report;

TEST_CASE("a single lucky epoch does not reach a target", "[report][final]") {
  CHECK(epochs_to({0.5, 0.9, 0.6, 0.9, 0.9}, 0.8, true) == std::pair<std::int64_t, bool>{4, true});
  CHECK(epochs_to({0.9, 0.5}, 0.8, true) == std::pair<std::int64_t, bool>{1, true});
  CHECK(epochs_to({0.5, 0.9}, 0.8, true) == std::pair<std::int64_t, bool>{2, false});  // of two the worse
}

// The number of its report stood for the epoch, and reports for the epochs that were trained.
TEST_CASE("a program that reports every fifth epoch reaches a target after an epoch", "[report][final]") {
  FinalTraining training{.curve = {0.5, 0.9, 0.9, 0.9}, .at = {5, 10, 15, 20}, .length = 22};
  reach(training, 0.8, true);
  CHECK(training.has_reached);
  CHECK(training.reached == 15);
  CHECK(training.epochs() == 22);
  CHECK(FinalTraining{.curve = {0.5, 0.9}}.epochs() == 2);
}

TEST_CASE("a target that is never reached counts with all epochs", "[report][final]") {
  CHECK(epochs_to({0.1, 0.2, 0.3}, 0.8, true) == std::pair<std::int64_t, bool>{3, false});
  CHECK(epochs_to({}, 0.8, true) == std::pair<std::int64_t, bool>{0, false});
}

TEST_CASE("a short run that misses the target counts with a rival's epochs", "[report][final]") {
  CHECK(epochs_to({0.1, 0.2, 0.3}, 0.8, true, 24) == std::pair<std::int64_t, bool>{24, false});
  CHECK(epochs_to({0.1, 0.9, 0.9}, 0.8, true, 24) == std::pair<std::int64_t, bool>{3, true});
}

TEST_CASE("a target is a little worse than fresh weights' end, above and below zero", "[report][final]") {
  const auto [end, maximize, target] =
      GENERATE(table<double, bool, double>({{1, true, 0.99}, {1, false, 1.01}, {-1, true, -1.01}, {-1, false, -0.99}}));
  CHECK(usual_target(end, maximize) == Approx(target));
}

TEST_CASE("what is minimised reaches a target from above", "[report][final]") {
  CHECK(epochs_to({0.9, 0.4, 0.6, 0.4, 0.3}, 0.5, false) == std::pair<std::int64_t, bool>{4, true});
  CHECK(epochs_to({0.4, 0.9}, 0.5, false).second);
}

namespace {

/// Of one epoch each, by seed.
FinalArm arm(const std::string& name, const std::vector<double>& ends) {
  FinalArm out{.name = name};
  for (std::size_t seed = 0; seed < ends.size(); ++seed) {
    FinalTraining& training = out.trainings[std::to_string(seed)];
    training.curve = {ends[seed]};
    training.reached = 1;
    training.has_reached = true;
  }
  return out;
}

/// The column of what the arms end with.
std::vector<Json> equivalence(const FinalStudy& study) {
  const Table table = tables_of(study).at(2);
  std::vector<Json> out;
  for (const auto& row : table.rows) out.push_back(row.back());
  CHECK((table.columns.back() == "equivalence") == (study.points > 0));
  return out;
}

}  // namespace

namespace {

/// Fresh weights that take 20 epochs and end at .9, and a rival; over four seeds.
FinalStudy beside(const std::vector<std::int64_t>& reached, const std::vector<double>& ends, double points = 0.3) {
  FinalStudy study{.name = "s", .metric = "val.accuracy", .test = "test.accuracy", .target = 0.89, .points = points};
  study.arms = {arm("kaiming", {0.900, 0.901, 0.900, 0.899}), arm("best", ends)};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    study.arms[0].trainings.at(std::to_string(i)).reached = 20 + std::int64_t(i % 2);
    study.arms[1].trainings.at(std::to_string(i)).reached = reached[i];
  }
  return study;
}

/// The sentence that answers, and the one on the rival.
std::vector<std::string> findings(const FinalStudy& study) {
  const Table table = tables_of(study).at(0);
  CHECK(table.shape == Shape::sentences);
  CHECK(table.rows.at(1).at(0) == "best");
  const std::string question = "Beside fresh weights (`kaiming`), was it worth it? ", all = table.rows.at(0).at(1);
  REQUIRE(all.starts_with(question));
  return {all.substr(question.size()), table.rows.at(1).at(1)};
}

}  // namespace

// Ratios of epochs: exp of the mean and the interval of log(fresh / rival), by numpy and scipy.
TEST_CASE("a sentence says whether a warm start was worth it", "[report][final]") {
  const std::vector<double> same = {0.9005, 0.901, 0.9, 0.8995};
  const auto good = findings(beside({10, 11, 10, 10}, same));
  CHECK(good[0] == "Yes, with `best` (4 seeds).");
  CHECK(good[1] ==
        "`best` reaches val.accuracy 0.89 in 2 times fewer epochs [1.9, 2.1], and ends with the same val.accuracy, "
        "within "
        "0.3 points");
  const auto worse = findings(beside({10, 11, 10, 10}, {0.88, 0.882, 0.879, 0.881}));
  CHECK(worse[0] == "It is faster with `best`, but ends worse (4 seeds).");
  CHECK(worse[1].ends_with(", and costs 2.0 points [1.7, 2.2] of val.accuracy"));
  const auto open = findings(beside({10, 30, 12, 40}, {0.9, 0.95, 0.88, 0.9}));
  CHECK(open[0] == "That is open: these seeds do not show it (4 seeds).");
  CHECK(open[1].starts_with("`best` is not shown to reach val.accuracy 0.89 sooner or later ("));
  CHECK(open[1].find("its end is open: val.accuracy differs by -") != std::string::npos);
  const auto slow = findings(beside({40, 42, 41, 40}, same));
  CHECK(slow[0] == "No (4 seeds).");
  CHECK(slow[1].starts_with("`best` takes 2 times the epochs to val.accuracy 0.89 [1.9, 2.1]"));
}

TEST_CASE("fresh weights that train longer are no warm start", "[report][final]") {
  FinalStudy study = beside({20, 20, 20, 20}, {0.95, 0.951, 0.949, 0.95});
  CHECK(findings(study)[0] == "Yes, with `best` (4 seeds).");
  study.arms.push_back(study.arms[1]);
  study.arms[1] = beside({20, 20, 20, 20}, {0.9005, 0.902, 0.899, 0.9}).arms[1];
  study.arms[2].name = "kaiming_longer";
  CHECK(findings(study)[0] == "That is open: these seeds do not show it (4 seeds).");
}

TEST_CASE("of what is minimised less is a gain", "[report][final]") {
  FinalStudy study = beside({20, 20, 20, 20}, {0.88, 0.882, 0.879, 0.881}, 0);
  study.maximize = false;
  study.metric = "val.loss";
  CHECK(findings(study)[0] == "Yes, with `best` (4 seeds).");
  CHECK(findings(study)[1].find("lowers val.loss by 0.0195 [") != std::string::npos);
}

TEST_CASE("a start that a race chose bears what the race cost", "[report][final]") {
  FinalStudy study = beside({10, 11, 10, 10}, {0.9005, 0.901, 0.9, 0.8995});
  study.arms[1].name = "race";
  for (auto& [seed, training] : study.arms[1].trainings) training.overhead = 6;
  study.race = FinalRace{"s-race", "resume", 24, {}};
  study.seeds = 4;
  const Table table = tables_of(study).at(0);
  CHECK(table.rows.at(0).at(1).get<std::string>().ends_with("Yes, with `race` (4 seeds)."));
  CHECK(table.rows.at(1).at(1) ==
        "The race `s-race` chose `resume`. It trained 24 epochs, 6 for each of 4 seeds, which "
        "`race` bears below.");
  // exp(mean(log([20, 21, 20, 21] / [16, 17, 16, 16]))) = 1.262
  CHECK(table.rows.at(2).at(1).get<std::string>().starts_with("`race` reaches val.accuracy 0.89 in 1.3 times fewer"));
  CHECK(tables_of(study).at(1).rows.at(1).at(2) == 16.25);
}

// Such arms had "1.1 times the epochs" for how long they went on, and the answer was No.
TEST_CASE("arms of which none reaches the target are neither faster nor slower", "[report][final]") {
  const std::vector<double> same = {0.9005, 0.901, 0.9, 0.8995};
  FinalStudy study = beside({0, 0, 0, 0}, same);
  study.epochs = 6;
  study.arms.push_back(study.arms[1]);
  study.arms[2].name = "kaiming_longer";
  const std::vector<std::size_t> epochs = {6, 6, 7};
  for (std::size_t i = 0; i < study.arms.size(); ++i) {
    for (auto& [seed, training] : study.arms[i].trainings) {
      training.curve.resize(epochs[i], training.curve.back());
      training.has_reached = false;
      training.overhead = i == 1 ? 0.8 : 0;
    }
  }
  study.arms[1].depth = 2;
  count_misses(study);
  CHECK(findings(study)[0] == "That is open: these seeds do not show it (4 seeds).");
  CHECK(findings(study)[1].starts_with("neither `best` nor `kaiming` reaches val.accuracy 0.89, and ends with the"));
  const Table target = tables_of(study).at(1);
  for (const auto& row : target.rows) CHECK(row.at(2) == 7.0);
  CHECK(target.rows.at(1).at(6) == 1.0);
  CHECK(target.rows.at(1).back().is_null());
  study.arms[0].trainings.at("0") = {.curve = {0.5, 0.9}, .reached = 2, .has_reached = true};
  CHECK(findings(study)[1].find("neither") == std::string::npos);
}

// The share of the epochs was taken of the race's seconds, too, and its cost nearly vanished.
TEST_CASE("seconds to the target are those of the training's share, and all of the race's", "[report][final]") {
  FinalStudy study = beside({10, 10, 10, 10}, {0.9, 0.9, 0.9, 0.9});
  for (auto& [seed, training] : study.arms[1].trainings) {
    training.curve.resize(20, 0.9);
    training.seconds = 4;
    training.overhead_seconds = 3;
  }
  const Table cost = tables_of(study).back();
  CHECK(cost.rows.at(1).at(2) == 7.0);
  CHECK(cost.rows.at(1).back() == 5.0);
}

TEST_CASE("without a rival the answer is the race's", "[report][final]") {
  FinalStudy study{.name = "s"};
  study.race = FinalRace{"s-race", "none", 24, {}};
  study.race->result =
      WarmRaceResult{.metric = "val.accuracy", .arm_epochs = 6, .arms = {{"none", 2, 0.93}, {"best", 2, 0.92}}};
  const std::vector<Table> tables = tables_of(study);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].rows.at(0).at(1).get<std::string>().starts_with("Was it worth it? No: "));
  CHECK(tables[0].rows.at(1).at(1) ==
        "The race `s-race` chose `none` by val.accuracy after 6 epochs (`none` 0.93, `best` "
        "0.92). It trained 24 epochs, 24 for each of 1 seed.");
}

TEST_CASE("one seed answers nothing", "[report][final]") {
  FinalStudy study{.metric = "val.accuracy", .points = 0.3};
  study.arms = {arm("kaiming", {0.9}), arm("best", {0.9})};
  CHECK(findings(study)[0] == "That is open: these seeds do not show it (1 seed).");
  CHECK(findings(study)[1] == "`best` is not judged: it takes two seeds or more");
}

TEST_CASE("ends are equivalent where two one-sided tests say so", "[report][final]") {
  FinalStudy study{.metric = "val.accuracy", .points = 0.3};
  study.arms = {arm("kaiming", {0.90, 0.91, 0.92, 0.90})};
  study.arms.push_back(arm("near", {0.901, 0.912, 0.92, 0.901}));
  // Differences 0.001, 0.002, 0, 0.001: t = (0.003 - 0.001) / (0.000816 / 2) = 4.90 of 3 degrees, p = 0.0081.
  CHECK(equivalence(study) == std::vector<Json>{nullptr, "equivalent within 0.3 points (p = 0.0081)"});
  SECTION("p is corrected for the rivals") {
    study.arms.push_back(arm("far", {0.95, 0.90, 0.99, 0.90}));
    const std::vector<Json> found = equivalence(study);
    CHECK(found[1] == "equivalent within 0.3 points (p = 0.016)");
    CHECK(found[2].get<std::string>().starts_with("not shown (p = 0."));
  }
  SECTION("a wider margin shows more, none asks nothing") {
    study.points = 0.1;
    CHECK(equivalence(study)[1] == "not shown (p = 0.5)");
    study.points = 0;
    CHECK(tables_of(study).at(2).columns.back() == "p_corrected");
  }
  SECTION("one pair shows nothing") {
    study.arms = {arm("kaiming", {0.9}), arm("near", {0.9})};
    CHECK(equivalence(study)[1].is_null());
  }
}

}  // namespace final_test
