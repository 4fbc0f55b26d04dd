// SPDX-License-Identifier: Apache-2.0
// What a study spent and saved, of attempts whose epochs, seconds and joules are given.
#include <algorithm>

#include "report/report.hpp"
#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace cost_test {

using namespace dlrun;
using support::piece_of;
using Rows = std::vector<std::vector<Json>>;

namespace {

/// How a trial of one piece went.
struct Went {
  std::int64_t trial, epochs;
  double seconds;
  std::optional<double> joules;  ///< of the CPU
  bool is_measured = true;
  bool is_pruned = false;
  std::int64_t shared = 0;  ///< epochs
  bool has_failed = false;
  std::int64_t planned = 0;  ///< epochs of its piece; 0: as many as it trained
  bool is_resumed = false;   ///< by an attempt that went on from an earlier one
};

void write(storage::Store& store, const Went& went) {
  const trial::PieceKey key = piece_of(went.trial);
  store.begin();
  study::Decision start = support::start_of(went.trial);
  start.to_step = std::max(went.epochs, went.planned);
  store.add(start);
  storage::AttemptStart attempt{.key = key, .attempt = 1, .worker = 0};
  if (went.is_resumed) attempt.partial = 0;
  store.attempts().start(attempt);
  trial::PieceResult result = support::result_of(went.trial, 0.5);
  result.seconds = went.seconds;
  if (went.shared > 0) result.shared = trial::SharedStart{piece_of(0).member, went.shared};
  if (went.has_failed) result.outcome = trial::Outcome::failed;
  store.add(study::Event(study::PieceEnded{result}));
  if (went.is_measured) store.attempts().energy(key, 1, "cpu", went.joules);
  const auto state = went.is_pruned ? trial::TrialState::pruned : trial::TrialState::completed;
  store.change({trial::TrialId(went.trial), state, 0.5, went.epochs, trial::Cause::none, "", 1});
  store.commit(storage::Durability::normal);
}

/// Trials of 5 epochs.
void write(const std::filesystem::path& folder, const std::vector<Went>& trials, const std::optional<double>& idle) {
  storage::StudyRow row = support::sample_row();
  row.spec["trial"]["epochs"] = 5;
  const auto store = storage::Store::create(folder, row, {});
  store->study_state("running", "");
  for (const Went& went : trials) write(*store, went);
  if (idle) {
    store->begin();
    store->opening().energy("idle", "cpu", idle);
    store->commit(storage::Durability::normal);
  }
  store->close();
}

std::vector<report::Table> cost(const std::vector<Went>& trials, const std::optional<double>& idle = {}) {
  const support::TempFolder folder;
  write(folder.path(), trials, idle);
  return report::Reader(folder.path(), {}).cost();
}

/// Value of the row of these tables.
Json value_of(const std::vector<report::Table>& tables, const std::string& what, std::size_t column = 1) {
  for (const report::Table& table : tables) {
    for (const auto& row : table.rows) {
      if (row[0] == what) return row[column];
    }
  }
  FAIL("no row " + what);
  return nullptr;
}

Rows energy(const std::vector<report::Table>& tables) {
  Rows rows;
  for (const auto& row : tables.at(0).rows) {
    if (row[0].get<std::string>().starts_with("energy")) rows.push_back(row);
  }
  return rows;
}

const char* const kAll = ", all that their machine took while they ran";

}  // namespace

TEST_CASE("joules are told with the attempts they are of", "[report][cost]") {
  const std::string two = std::string("of 2 of 3 attempts") + kAll;
  CHECK(energy(cost({{0, 5, 1, 100}, {1, 5, 1, 200}, {2, 5, 1, {}}}, 50)) ==
        Rows{{"energy cpu", 300.0, "joules", two},
             {"energy cpu idle", 50.0, "joules", "beside that, while no attempt ran"}});
  CHECK(energy(cost({{0, 5, 1, 100}, {1, 5, 1, 200}, {2, 5, 1, {}, false}}))[0][3] == two);
  CHECK(energy(cost({{0, 5, 1, {}}})) ==
        Rows{{"energy cpu", nullptr, "joules", "of 0 of 1 attempts: its counters failed meanwhile"}});
  CHECK(energy(cost({{0, 5, 1, {}, false}})) == Rows{{"energy", nullptr, "joules", "not measured"}});
}

TEST_CASE("much energy is told in kilowatt hours too, and what failed attempts took by itself", "[report][cost]") {
  Went failed{1, 5, 1, 900'000};
  failed.has_failed = true;
  const Rows rows = energy(cost({{0, 5, 1, 900'000}, failed}));
  CHECK(rows.at(0) ==
        std::vector<Json>{"energy cpu", 1'800'000.0, "joules", "0.5 kWh; of 2 of 2 attempts" + std::string(kAll)});
  CHECK(rows.at(1)[0] == "energy cpu lost");
  CHECK(rows.at(1)[1] == 900'000.0);
}

TEST_CASE("what was not trained is estimated by the trial's own epochs, else by the study's", "[report][cost]") {
  Went pruned{1, 1, 3, 30};
  pruned.is_pruned = true;  // 4 epochs of 3 s and 30 J
  Went sharing{2, 5, 8, {}};
  sharing.shared = 3;  // of 4 s each, as its other two; joules as the others', 130 for 3 epochs
  const auto tables = cost({{0, 2, 4, 100}, pruned, sharing});
  REQUIRE(tables.size() == 3);
  CHECK(tables[1].rows[0] ==
        std::vector<Json>{"shared", 3, "epochs", "trained by another trial of the study that began alike"});
  CHECK(tables[1].rows[1] == std::vector<Json>{"pruned", 4, "epochs", "pruned trials did not go to the end"});
  CHECK(std::vector<Json>(tables[2].rows[0].begin(), tables[2].rows[0].begin() + 3) ==
        std::vector<Json>{"shared", 12.0, 130.0});
  CHECK(std::vector<Json>(tables[2].rows[1].begin(), tables[2].rows[1].begin() + 3) ==
        std::vector<Json>{"pruned", 12.0, 120.0});
  CHECK(tables[2].title == "sample: what that would have taken, an estimate");
}

// Each fold of a pruned trial was spared its own epochs.
TEST_CASE("a pruned trial saves the epochs of all its members", "[report][cost][sql]") {
  const support::TempFolder folder;
  storage::StudyRow row = support::sample_row();
  row.spec["trial"] = {{"kind", "function"}, {"epochs", 9}, {"replicates", 2}, {"folds", 3}};
  const auto store = storage::Store::create(folder.path(), row, {});
  store->study_state("running", "");
  write(*store, {.trial = 0, .epochs = 3, .seconds = 6, .joules = {}, .is_pruned = true});
  store->begin();
  const trial::TrialId trial(0);
  for (int fold = 0; fold < 3; ++fold) store->change(study::MemberMeasured{{trial, 0, fold}, 0.5, 1, 3});
  store->change(study::MemberMeasured{{trial, 1, 0}, 0.5, 1, 1});  // the last two of six never began
  store->commit(storage::Durability::normal);
  store->close();
  CHECK(value_of(report::Reader(folder.path(), {}).cost(), "pruned") == 6 * 9 - 3 * 3 - 1);
  const report::Table costs = report::sql(folder.path(), {}, "select planned_epochs, pruned from costs");
  CHECK(costs.rows.at(0) == std::vector<Json>{54, 44});
}

TEST_CASE("without joules the estimate has none", "[report][cost]") {
  Went pruned{1, 1, 3, {}, false};
  pruned.is_pruned = true;
  const auto tables = cost({{0, 2, 4, {}, false}, pruned});
  CHECK(tables.at(2).rows[0][1] == 12.0);
  CHECK(tables.at(2).rows[0][2] == nullptr);
}

// Epochs after which a program reported nothing were not counted.
TEST_CASE("epochs are those trained, however many of them were reported", "[report][cost][sql]") {
  const support::TempFolder folder;
  write(folder.path(), {{0, 30, 3, {}}, {1, 20, 2, {}}}, {});  // each reports once
  CHECK(value_of(report::Reader(folder.path(), {}).cost(), "trained") == 50);
  CHECK(report::sql(folder.path(), {}, "select sum(epochs) from costs").rows.at(0).at(0) == 50);
}

// The seconds of a trial that ended by itself were divided by the epochs that it might have trained.
TEST_CASE("an epoch takes what the epochs took that were trained", "[report][cost][sql]") {
  const support::TempFolder folder;
  Went early{0, 4, 8, {}}, resumed{1, 5, 1, {}}, pruned{2, 1, 3, {}};
  early.planned = 300;
  resumed.is_resumed = true;  // its second holds fewer than five epochs
  pruned.is_pruned = true;
  write(folder.path(), {early, resumed, pruned}, {});
  const auto rows = report::sql(folder.path(), {}, "select seconds_per_epoch from costs order by trial").rows;
  CHECK(rows == Rows{{2.0}, {11.0 / 5}, {3.0}});
  CHECK(report::Reader(folder.path(), {}).cost().at(2).rows.at(0).at(1) == 12.0);  // 4 epochs that were pruned
}

TEST_CASE("sums over v_costs are those of the report", "[report][cost][sql]") {
  Went pruned{1, 1, 3, 30}, sharing{2, 5, 8, {}}, failed{3, 5, 2, 7};
  pruned.is_pruned = true;
  sharing.shared = 3;
  failed.has_failed = true;
  const support::TempFolder folder;
  write(folder.path(), {{0, 2, 4, 100}, pruned, sharing, failed, {4, 5, 1, {}, false}}, {});
  const auto told = report::Reader(folder.path(), {}).cost();
  const auto ask = [&](const std::string& what) {
    return report::sql(folder.path(), {}, "select " + what + " from costs").rows.at(0).at(0);
  };
  CHECK(ask("sum(epochs)") == value_of(told, "trained"));
  CHECK(ask("sum(seconds)") == value_of(told, "computing"));
  CHECK(ask("sum(lost_seconds)") == value_of(told, "lost"));
  CHECK(ask("sum(joules)") == value_of(told, "energy cpu"));
  CHECK(ask("sum(lost_joules)") == value_of(told, "energy cpu lost"));
  CHECK(ask("sum(unmeasured)") == 2);
  CHECK(ask("sum(shared)") == value_of(told, "shared"));
  CHECK(ask("sum(pruned)") == value_of(told, "pruned"));
  const auto estimate = std::vector<report::Table>{told.at(2)};
  for (const std::string what : {"shared", "pruned"}) {
    CHECK(ask("sum(" + what + " * seconds_per_epoch)").get<double>() ==
          Approx(value_of(estimate, what, 1).get<double>()).epsilon(1e-3));  // the report has four digits
    CHECK(ask("sum(" + what + " * joules_per_epoch)").get<double>() ==
          Approx(value_of(estimate, what, 2).get<double>()).epsilon(1e-3));
  }
  CHECK(ask("planned_epochs") == 5);
  CHECK(ask("planned_seconds") == 10.0);  // 4 s for 2 epochs
}

}  // namespace cost_test
