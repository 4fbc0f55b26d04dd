// SPDX-License-Identifier: Apache-2.0
// Facts of a study as values.
#include "report/trials.hpp"

#include <algorithm>

#include "report/opened.hpp"
#include "report/report.hpp"
#include "storage/paths.hpp"
#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace trials_test {

using namespace dlrun;
using trial::TrialState;

namespace {

std::unique_ptr<storage::Store> create(const std::filesystem::path& folder, int objectives = 1) {
  storage::StudyRow row = support::sample_row();
  row.spec["objective"] = Json::array();
  for (int i = 0; i < objectives; ++i)
    row.spec["objective"].push_back({{"metric", "m" + std::to_string(i)}, {"direction", "minimize"}});
  return storage::Store::create(folder, row, {});
}

void change(storage::Store& store, std::int64_t trial, TrialState state, double value, std::vector<double> more = {}) {
  store.begin();
  store.change({.trial = trial::TrialId(trial), .state = state, .objective = value, .steps = 1, .further = more});
  store.commit(storage::Durability::normal);
}

}  // namespace

TEST_CASE("facts of a study without trials", "[report][trials]") {
  const support::TempFolder folder;
  create(folder.path())->close();
  CHECK(report::trial_count(folder.path(), "sample") == 0);
  CHECK_FALSE(report::best_trial(folder.path(), "sample"));
  CHECK(report::front_trials(folder.path(), "sample").empty());
  CHECK(report::study_state(folder.path(), "sample") == "running");
}

TEST_CASE("trials by number and by state", "[report][trials]") {
  const support::TempFolder folder;
  const auto store = create(folder.path());
  for (std::int64_t i = 0; i < 4; ++i) support::write_trial(*store, i, 4 - double(i));
  change(*store, 3, TrialState::failed, 1);
  change(*store, 1, TrialState::failed, 3);
  change(*store, 0, TrialState::running, 4);
  CHECK(report::trial_count(folder.path(), "sample") == 4);
  CHECK(report::trials_in(folder.path(), "sample", TrialState::failed) == std::vector<std::int64_t>{1, 3});
  CHECK(report::best_trial(folder.path(), "sample") == 2);
  CHECK(report::shown_state(folder.path(), "sample", 2) == TrialState::completed);
  CHECK(report::shown_state(folder.path(), "sample", 0) == TrialState::waiting);  // no worker has its piece
  CHECK(report::front_trials(folder.path(), "sample").empty());                   // there is one objective
}

TEST_CASE("the front has the best trial by the first objective first", "[report][trials]") {
  const support::TempFolder folder;
  const auto store = create(folder.path(), 2);
  const double further[] = {3, 1, 4, 2};
  for (std::int64_t i = 0; i < 4; ++i) {
    support::write_trial(*store, i, 4 - double(i));
    change(*store, i, TrialState::completed, 4 - double(i), {further[i]});
  }
  CHECK(report::front_trials(folder.path(), "sample") == std::vector<std::int64_t>{3, 1});
}

// The trial reached a rung with both objectives and failed in the next piece.
TEST_CASE("a trial that failed shows none of its objectives", "[report][trials]") {
  const support::TempFolder folder;
  const auto store = create(folder.path(), 2);
  support::write_trial(*store, 0, 4);
  change(*store, 0, TrialState::paused, 4, {3});
  const auto further = [&] { return report::further_values(report::open_study(folder.path(), "sample"), 0); };
  CHECK(further() == std::vector<Json>{3.0});
  store->begin();
  store->change({.trial = trial::TrialId(0), .state = TrialState::failed, .objective = {}, .steps = 1, .message = ""});
  store->commit(storage::Durability::normal);
  CHECK(further() == std::vector<Json>{nullptr});
}

TEST_CASE("the table of all trials has no column for curves by step", "[report][trials]") {
  const support::TempFolder folder;
  auto store = create(folder.path());
  support::write_trial(*store, 0, 4);
  store.reset();
  storage::Database(storage::study_file(folder.path(), "sample", ".db"), storage::Database::Mode::write)
      .run("INSERT INTO dl_metric_name (name) VALUES ('grad_norm')");
  const std::vector<std::string> columns = report::Reader(folder.path(), {}).trials().columns;
  CHECK(std::count(columns.begin(), columns.end(), "val.accuracy") == 1);
  CHECK(std::count(columns.begin(), columns.end(), "grad_norm") == 0);
}

}  // namespace trials_test
