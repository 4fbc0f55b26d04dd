// SPDX-License-Identifier: Apache-2.0
// What a search is said to take.
#include "plan/plan.hpp"

#include <fmt/format.h>

#include "unit/spec/study_file.hpp"

namespace plan_test {

using namespace dlrun;
using plan::expected_work;
using spec::StudyFile;

namespace {

std::string value_of(const report::Table& table, const std::string& what) {
  for (const auto& row : table.rows) {
    if (row.at(0) == what) return row.at(1).is_string() ? row[1].get<std::string>() : to_text(row[1]);
  }
  return {};
}

}  // namespace

TEST_CASE("a search takes its trials, times members, times epochs", "[plan]") {
  const StudyFile file(spec::kTrees, "plan");
  const plan::Work work = expected_work(file.read({"limits.trials=6", "trial.epochs=4", "trial.replicates=2"}));
  CHECK(work.trials == 6);
  CHECK(work.epochs == 6 * 4 * 2);
  CHECK(work.most_epochs == work.epochs);
}

// The disk was planned for one member of a trial, and `keep.last` was taken for a number of trials.
TEST_CASE("the disk holds the checkpoints that each member of a trial keeps", "[plan]") {
  std::string text = spec::kTrees;
  text.replace(text.find("out: 8}"), 7, "out: 1000000}");
  text.erase(text.find("  width:"), text.find("trial:\n") - text.find("  width:"));
  const StudyFile file(text, "plan");
  const auto checkpoints = [&](std::vector<std::string> sets) {
    sets.insert(sets.begin(), {"limits.trials=100", "trial.epochs=9"});
    const auto spec = file.read(sets);
    const std::string disk = value_of(plan::plan_tables(spec).front(), "disk");
    INFO(disk);
    REQUIRE(disk.find(" GB") != std::string::npos);
    return std::stod(disk.substr(6)) * 1e9 / (4.0 * double(spec.base_model->parameters()));
  };
  CHECK(checkpoints({"keep={best: 1, last: 1, rungs: false}"}) == Approx(101).epsilon(0.06));
  CHECK(checkpoints({"keep={best: 1, last: 1, rungs: false}", "trial.replicates=5"}) == Approx(505).epsilon(0.06));
  CHECK(checkpoints({"keep={best: 0, last: 1, rungs: true}",
                     "search.pruner={op: asha, eta: 3, min_budget: 1, max_budget: 9}"}) ==
        Approx(100 + 33 + 11).epsilon(0.06));
}

// The plan's epoch had the batches of no partition and with the last one of drop_last, and was the training's first.
TEST_CASE("an epoch of ranks has the batches of its partition, and its share of their averages", "[plan][parallel]") {
  const StudyFile file(spec::kTrees, "plan");
  const std::string split = "trial.data.split={train: 0.5, val: 0.5, test: 0}";  // 50 examples
  const auto table = [&](const std::string& gang, std::vector<std::string> sets) {
    sets.insert(sets.end(), {split, "limits.trials=2", "trial.epochs=1", "trial.parallel=" + gang});
    return plan::plan_tables(file.read(sets)).front();
  };
  const auto seconds = [&](const std::string& gang, const std::vector<std::string>& sets) {
    const std::string text = value_of(table(gang, sets), "gang");
    INFO(text);
    return std::stod(text.substr(text.find("about ") + 6));
  };
  const std::string asp = "{op: asp, ranks: 1}", padded = "{policy: random, remainder: pad}";
  CHECK(seconds(asp, {"trial.batch_size=20"}) == Approx(0.03).epsilon(0.2));
  CHECK(seconds(asp, {"trial.batch_size=20", "trial.data.drop_last=true"}) == Approx(0.02).epsilon(0.2));
  CHECK(value_of(table(asp, {"trial.batch_size=20", "trial.data.drop_last=true"}), "examples trained on") == "80");
  // 13 batches, which are 4 rounds of 4 ranks; of 7 batches, 2; each of 4 lists has 13 examples: 4 and 2 batches.
  CHECK(seconds("{op: bsp, ranks: 4}", {"trial.batch_size=8"}) == Approx(0.02).epsilon(0.2));
  CHECK(seconds("{op: bsp, ranks: 4}", {"trial.batch_size=9", "trial.data.partition=" + padded}) ==
        Approx(0.02).epsilon(0.2));
  CHECK(seconds("{op: bsp, ranks: 2}", {"trial.batch_size=24", "trial.data.partition=" + padded}) ==
        Approx(0.01).epsilon(0.2));  // 25 examples each, of which one alone is left out
  const auto bytes = [&](const char* period) {
    const std::string text = value_of(
        table(std::string("{op: local_sgd, ranks: 2, period: ") + period + "}", {"trial.batch_size=5"}), "gang");
    INFO(text);
    return std::stod(text.substr(text.find("sends ") + 6));
  };
  CHECK(bytes("10") == Approx(bytes("5") / 2));  // 10 batches: 5 rounds
}

TEST_CASE("a sampler decides how many examples an epoch has", "[plan]") {
  const StudyFile file(spec::kTrees, "plan");
  std::string uneven = "width,colour,kind\n";
  for (int i = 0; i < 100; ++i) uneven += std::to_string(i % 7) + ",red," + (i % 10 == 0 ? "elm" : "oak") + "\n";
  file.write("trees.csv", uneven);
  const auto trained = [&](const std::string& sampler, std::vector<std::string> sets) {
    sets.insert(sets.end(), {"trial.data.split={train: 0.5, val: 0.5, test: 0}", "limits.trials=2", "trial.epochs=3",
                             "trial.data.sampler=" + sampler});
    return value_of(plan::plan_tables(file.read(sets)).front(), "examples trained on");
  };
  CHECK(trained("shuffle", {}) == "300");
  CHECK(trained("{op: balanced, draws: 70}", {}) == "420");
  CHECK(trained("{op: balanced, draws: 70}", {"trial.batch_size=32", "trial.data.drop_last=true"}) == "384");
  CHECK(trained("oversample", {"trial.data.split.stratify=true"}) == "540");  // 45 oaks, and elms as often
}

TEST_CASE("a limit of epochs ends a search before its trials do", "[plan]") {
  const StudyFile file(spec::kTrees, "plan");
  const auto text = [&](const std::string& epochs, const std::string& what) {
    const auto spec = file.read({"limits.trials=100", "limits.epochs=" + epochs, "trial.epochs=10"});
    const std::vector<report::Table> tables = plan::plan_tables(spec);
    for (const auto& row : tables.front().rows) {
      if (row[0] == what) return row[1].get<std::string>();
    }
    return std::string();
  };
  CHECK(text("50", "trials") == "about 5, then limits.epochs ends the search");
  CHECK(text("50", "epochs") == "at most 50");
  CHECK(text("1000", "trials") == "100");
  CHECK(text("1000", "epochs") == "1,000");
  const auto spec = file.read({"limits.trials=100", "limits.epochs=50", "trial.epochs=10"});
  CHECK(expected_work(spec).trials == 100);
  CHECK(expected_work(spec).most_epochs == 50);
}

TEST_CASE("a pruner takes a part of the epochs", "[plan]") {
  const StudyFile file(spec::kTrees, "plan");
  const plan::Work work = expected_work(file.read(
      {"limits.trials=9", "trial.epochs=9", "search.pruner={op: asha, eta: 3, min_budget: 1, max_budget: 9}"}));
  CHECK(work.most_epochs == 81);
  CHECK(work.epochs == 9 * 1 + 3 * 2 + 1 * 6);  // nine to epoch 1, three to 3, one to 9
}

// The epochs to the first rung of the brackets behind the first were nobody's.
TEST_CASE("hyperband trains every bracket from the beginning", "[plan]") {
  const StudyFile file(spec::kTrees, "plan");
  const auto [epochs, trials, planned] =
      GENERATE(table<int, int, double>({{27, 49, 81 + 78 + 90 + 108}, {81, 143, 1581}}));
  const std::string op = GENERATE("hyperband", "bohb");
  const plan::Work work = expected_work(
      file.read({fmt::format("limits.trials={}", trials), fmt::format("trial.epochs={}", epochs),
                 fmt::format("search.pruner={{op: {}, eta: 3, min_budget: 1, max_budget: {}}}", op, epochs)}));
  CHECK(work.epochs == planned);
}

TEST_CASE("a small space ends a search before its limit does", "[plan]") {
  const StudyFile file(spec::kBranin, "plan");
  const auto sets = {std::string("limits.trials=40"), std::string("space.x1={type: int, low: 0, high: 3}"),
                     std::string("space.x2={type: categorical, choices: [1, 2]}")};
  CHECK(expected_work(file.read(sets)).trials == 8);
}

TEST_CASE("the plan of a network names its layers and what it weighs", "[plan]") {
  const StudyFile file(spec::kTrees, "plan");
  const std::vector<report::Table> tables = plan::plan_tables(file.read({"limits.trials=6"}));
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].title == "plan of trees");
  CHECK(value_of(tables[0], "trials") == "6");
  CHECK_THAT(value_of(tables[0], "objective"), Contains("maximize val.accuracy"));
  CHECK(tables[1].title == "model");
  REQUIRE(tables[1].rows.size() == 3);
  CHECK(tables[1].rows[0][0] == "fc1");
}

}  // namespace plan_test
