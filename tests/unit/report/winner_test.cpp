// SPDX-License-Identifier: Apache-2.0
// The winner's value in reports of studies that a Store really wrote; the estimate itself is tested in statistics.
#include <memory>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "report/trials.hpp"
#include "statistics/summary.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace winner_test {

using namespace dlrun;
using report::Reader;
using report::Table;
using support::TempFolder;

namespace {

/// Accuracies of the trials' three replicates; trial 1 is the best.
const std::vector<std::vector<double>> kShares{{0.91, 0.95, 0.93}, {0.93, 0.95, 0.93}};

/// As a study of kind `train` with replicates says of its data: classes and the number of validation examples.
storage::StudyRow trained_row() {
  storage::StudyRow row = support::sample_row();
  row.spec["trial"]["replicates"] = 3;
  row.spec["derived"]["data"] = {{"classes", 10}, {"val", 300}, {"target_shape", Json::array()}};
  return row;
}

void write_replicates(storage::Store& store, std::int64_t trial, const std::vector<double>& shares) {
  store.begin();
  for (std::size_t r = 0; r < shares.size(); ++r)
    store.change(study::MemberMeasured{{trial::TrialId(trial), int(r), 0}, shares[r], 1, 1});
  store.commit(storage::Durability::normal);
}

std::unique_ptr<storage::Store> write(const std::filesystem::path& folder, const storage::StudyRow& row,
                                      bool has_replicates = true) {
  auto store = storage::Store::create(folder, row, space::Space());
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    support::write_trial(*store, std::int64_t(i), statistics::mean(kShares[i]));
    if (has_replicates) write_replicates(*store, std::int64_t(i), kShares[i]);
  }
  return store;
}

Json fact(const Table& table, const std::string& name) {
  for (const auto& row : table.rows) {
    if (row[0] == name) return row[1];
  }
  return nullptr;
}

}  // namespace

TEST_CASE("the winner of replicates is shown with its value without the luck of having been chosen",
          "[report][winner]") {
  // own luck 0.00471 of a mean, two degrees of freedom; two contenders have a closed form (tests of statistics)
  const TempFolder folder;
  write(folder.path(), trained_row());
  const Table best = Reader(folder.path(), {}).best(2);
  REQUIRE(best.columns.size() > 9);
  CHECK(best.columns[6] == "shrunken");
  CHECK(best.rows[0][0] == 1);
  CHECK(best.rows[0][6].get<double>() == Approx(0.9358337752112003).margin(1e-9));
  CHECK(best.rows[1][6].is_null());
  const Table winner = Reader(folder.path(), {}).winner();
  CHECK(fact(winner, "trial") == 1);
  CHECK(fact(winner, "shrunken") == best.rows[0][6]);
  CHECK(fact(winner, "contenders") == 2);
  CHECK(fact(winner, "luck") == "spread of the members of the best trials, 2 degrees of freedom");
  CHECK(fact(winner, "not_covered") == "the validation rows, which all replicates share");
  CHECK(fact(winner, "shrunken_high") == report::shrunken_best(folder.path(), "sample")->high);
}

TEST_CASE("the interval of an accuracy has the luck of the validation rows of replicates", "[report][winner]") {
  const auto [key, value, low, high] = GENERATE(table<std::string, Json, double, double>({
      {"val", 300, 0.8610662278709721, 1.0106013225514283},
      {"val", 0, 0.8919083008985373, 0.9797592495238632},                          // unknown
      {"classes", 0, 0.8919083008985373, 0.9797592495238632},                      // numbers
      {"target_shape", Json::array({7}), 0.8919083008985373, 0.9797592495238632},  // a label at each position
  }));
  const TempFolder folder;
  storage::StudyRow row = trained_row();
  row.spec["derived"]["data"][key] = value;
  write(folder.path(), row);
  const auto best = report::shrunken_best(folder.path(), "sample");
  REQUIRE(best);
  CHECK(best->low == Approx(low).margin(1e-9));
  CHECK(best->high == Approx(high).margin(1e-9));
}

TEST_CASE("folds share no validation rows", "[report][winner]") {
  const TempFolder folder;
  storage::StudyRow row = trained_row();
  row.spec["trial"]["folds"] = 3;
  write(folder.path(), row);
  CHECK(fact(Reader(folder.path(), {}).winner(), "not_covered").is_null());
  CHECK(report::shrunken_best(folder.path(), "sample")->high == Approx(0.9797592495238632).margin(1e-9));
}

TEST_CASE("less is better in the other direction", "[report][winner]") {
  const TempFolder folder;
  storage::StudyRow row = trained_row();
  row.spec["objective"]["direction"] = "minimize";
  write(folder.path(), row);
  const auto best = report::shrunken_best(folder.path(), "sample");
  REQUIRE(best);
  CHECK(best->trial == 0);
  CHECK(best->measured == Approx(0.93));
  CHECK(best->value == Approx(0.9308328914554664).margin(1e-9));  // as far as that of the other direction
  CHECK(best->low < best->value);
  CHECK(best->value < best->high);
}

TEST_CASE("the best epoch and pruned trials are choices that the value knows nothing of", "[report][winner]") {
  const TempFolder folder;
  storage::StudyRow row = trained_row();
  row.spec["trial"]["folds"] = 3;
  row.spec["objective"]["at"] = "best";
  const auto store = write(folder.path(), row);
  support::write_trial(*store, 2, 0.9);
  store->begin();
  store->change({trial::TrialId(2), trial::TrialState::pruned, 0.9, 1, trial::Cause::none, "", 1});
  store->commit(storage::Durability::normal);
  const Table winner = Reader(folder.path(), {}).winner();
  CHECK(fact(winner, "trial") == 1);
  CHECK(fact(winner, "contenders") == 2);
  CHECK(fact(winner, "not_covered") == "the choice of the best epoch of each trial; the choice among 1 pruned trials");
}

TEST_CASE("trials that ran once have no shrunken value, and the report says how to get one", "[report][winner]") {
  const TempFolder folder;
  storage::StudyRow row = trained_row();
  row.spec["trial"].erase("replicates");
  write(folder.path(), row, false);
  const Table winner = Reader(folder.path(), {}).winner();
  CHECK(fact(winner, "objective") == statistics::mean(kShares[1]));
  CHECK(fact(winner, "shrunken").is_null());
  CHECK(fact(winner, "luck") == "unknown: each trial ran once; set `trial.replicates` or `trial.folds` to measure it");
  CHECK(Reader(folder.path(), {}).best(2).columns[2] == "epoch");
  CHECK_FALSE(report::shrunken_best(folder.path(), "sample"));
}

TEST_CASE("an ablation compares variants and chooses no winner", "[report][winner]") {
  const TempFolder folder;
  storage::StudyRow row = trained_row();
  row.spec["derived"]["ablation"] = Json::object();
  write(folder.path(), row);
  CHECK(Reader(folder.path(), {}).winner().rows.empty());
}

TEST_CASE("a study without a completed trial has no winner", "[report][winner]") {
  const TempFolder folder;
  storage::Store::create(folder.path(), trained_row(), space::Space());
  CHECK(Reader(folder.path(), {}).winner().rows.empty());
}

}  // namespace winner_test
