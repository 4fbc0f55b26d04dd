// SPDX-License-Identifier: Apache-2.0
// The winner of a race is kept with all that was measured of it, until a further trial completes.
#include "storage/paths.hpp"
#include "storage/raced_winner.hpp"
#include "storage/reading.hpp"
#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace winner_test {

using namespace dlrun;
using namespace dlrun::storage;
using support::TempFolder;

TEST_CASE("a race's winner is read as it was written", "[storage][winner]") {
  const TempFolder folder;
  const auto store = Store::create(folder.path(), support::sample_row(), {});
  for (std::int64_t trial = 0; trial < 6; ++trial) support::write_trial(*store, trial, 0.1 * double(trial));
  const auto database = open_for_reading(study_file(folder.path(), "sample", ".db"));
  CHECK_FALSE(raced_winner(*database));
  CHECK(races_of(*database) == 0);
  store->crown({trial::TrialId(4), "first-race", 3, 7, 0.75, {}});
  store->crown({trial::TrialId(5), "second-race", 2, 9, 0.5, WinnerValue{"test.accuracy", 0.625, 0.25, 0.875, "runs"}});
  CHECK(races_of(*database) == 2);
  const auto winner = raced_winner(*database);
  REQUIRE(winner);
  CHECK(winner->trial == trial::TrialId(5));
  CHECK(winner->race == "second-race");
  CHECK(winner->contenders == 2);
  CHECK(winner->runs == 9);
  CHECK(winner->measured == 0.5);
  CHECK(winner->completed == 6);
  REQUIRE(winner->value);
  CHECK(winner->value->metric == "test.accuracy");
  CHECK(winner->value->value == 0.625);
  CHECK(winner->value->low == 0.25);
  CHECK(winner->value->high == 0.875);
  CHECK(winner->value->rests_on == "runs");
  SECTION("until another trial completes") {
    support::write_trial(*store, 6, 0.9);
    CHECK_FALSE(raced_winner(*database));
    CHECK(last_winner(*database)->race == "second-race");
  }
}

}  // namespace winner_test
