// SPDX-License-Identifier: Apache-2.0
#include "spec/rules.hpp"

#include "unit/spec/study_file.hpp"

namespace rules_test {

using namespace dlrun;
using namespace dlrun::spec;

TEST_CASE("slack is a share of the planned mean piece", "[spec][clock]") {
  // Rungs 1, 3, 9, 27 with eta 3 as in logical_clock.py: pieces 1, 2, 6, 18, so 1 + 2/3 + 6/9 + 18/27 = 3.
  CHECK(slack_ticks(0.5, {1, 3, 9, 27}, {1, 1.0 / 3, 1.0 / 9, 1.0 / 27}, 1000) == 1500);
  CHECK(slack_ticks(1, {9}, {}, 100) == 900);
  CHECK(slack_ticks(0.5, {2, 4, 6, 8, 9}, {}, 1000) == 900);  // pieces of 9 / 5 epochs in the mean
  CHECK(slack_ticks(0, {1, 3}, {1, 0.5}, 1000) == 0);
}

TEST_CASE("functions and commands cost a thousand ticks an epoch", "[spec][clock]") {
  const StudySpec spec = StudyFile(kBranin).read({"trial.epochs=9", "search.lanes=8", "search.pruner=asha"});
  CHECK(spec.rules.cost({}, 3, 9) == 6000);
  CHECK(spec.rules.slack == 233);   // 0.1 x (1000 + 2000/3 + 6000/9)
  CHECK(spec.rules.stride == 291);  // the same mean piece, by 8 lanes
}

TEST_CASE("training costs examples by the model's share of the base's operations", "[spec][clock]") {
  const StudySpec spec = StudyFile(kTrees).read();
  const std::int64_t examples = spec.data->train;
  const auto cost = [&](std::int64_t width) { return spec.rules.cost({0.01, width}, 0, 2); };
  CHECK(cost(8) == 2 * examples);  // the base model itself
  // Layers of the base: in -> 8 -> 2; multiply-adds grow with the width, every layer of this model in proportion.
  CHECK(cost(16) == 4 * examples);
  CHECK(cost(32) == 8 * examples);
  CHECK(spec.rules.cost({0.01, std::int64_t(16)}, 1, 2) == 2 * examples);
}

TEST_CASE("a gang costs what one rank does, divided by its ranks", "[spec][clock]") {
  const std::string gang = "trial.parallel={op: bsp, ranks: 4}";
  const StudyFile file(kTrees);
  const std::int64_t examples = file.read().data->train;
  REQUIRE(examples == 70);
  const StudySpec whole = file.read({gang});
  CHECK(whole.rules.cost({0.01, std::int64_t(8)}, 0, 2) == 2 * 18);   // 17.5
  CHECK(whole.rules.cost({0.01, std::int64_t(16)}, 0, 2) == 2 * 35);  // twice the operations
  CHECK(whole.rules.slack == 18);                                     // a tenth of ten epochs
  const StudySpec some =
      file.read({gang, "space.width=null", "space.ranks={at: parallel.ranks, type: int, low: 1, high: 8}"});
  const auto cost = [&](std::int64_t ranks) { return some.rules.cost({0.01, ranks}, 0, 3); };
  CHECK(cost(1) == 3 * 70);
  CHECK(cost(3) == 3 * 23);       // 23.3
  CHECK(cost(8) == 3 * 9);        // 8.75
  CHECK(some.rules.slack == 18);  // by the base trial's four
}

TEST_CASE("a study without a pruner has one piece: its slack is a tenth of a trial", "[spec][clock]") {
  const StudySpec spec = StudyFile(kTrees).read();
  CHECK(spec.rules.slack == spec.data->train);
  CHECK(StudyFile(kTrees).read({"search.stagger=false"}).rules.stride == 0);
}

TEST_CASE("what workers are told holds places by parameter and the whole trial", "[spec][setup]") {
  const trial::WorkSetup setup = work_setup(StudyFile(kTrees).read({"objective.at=best"}), "/store/artifacts");
  CHECK(setup.parameters["lr"] == "optimizer.lr");
  CHECK(setup.trial["kind"] == "train");
  CHECK(setup.keep_best);
  CHECK(setup.maximize);
  CHECK(setup.artifacts == "/store/artifacts");
  CHECK(setup.determinism.empty());
}

}  // namespace rules_test
