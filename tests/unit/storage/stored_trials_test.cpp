// SPDX-License-Identifier: Apache-2.0
// Trials of a study as later studies learn from them.
#include "storage/stored_trials.hpp"

#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/spaces.hpp"
#include "support/temp_folder.hpp"

namespace stored_trials_test {

using namespace dlrun;
using namespace dlrun::storage;

TEST_CASE("trials have their values, all objectives and how far they lie beyond bounds", "[storage][trials]") {
  const support::TempFolder folder;
  const auto store = Store::create(folder.path(), support::sample_row(), support::three_kinds());
  support::write_trial(*store, 0, 0.5, {0.25, std::int64_t{64}, space::Choice{1}});
  store->begin();
  store->add(support::start_of(1, {0.5, std::int64_t{32}, space::Choice{0}}));
  store->change({.trial = trial::TrialId(1), .state = trial::TrialState::running});
  store->change({.trial = trial::TrialId(0),
                 .state = trial::TrialState::completed,
                 .objective = 0.75,
                 .steps = 3,
                 .further = {2.0, 0.125},
                 .violation = 0.375});
  store->commit(Durability::normal);

  const auto trials = read_trials(folder.path(), "sample", support::three_kinds());
  REQUIRE(trials.size() == 2);
  CHECK(trials[0].state == trial::TrialState::completed);
  CHECK(trials[0].values == space::Values{0.25, std::int64_t{64}, space::Choice{1}});
  CHECK(trials[0].objectives == std::vector<double>{0.75, 2.0, 0.125});
  CHECK(trials[0].violation == 0.375);
  CHECK(trials[0].steps == 3);
  CHECK(trials[1].number == 1);
  CHECK(trials[1].state == trial::TrialState::running);
  CHECK(trials[1].objectives.empty());
  CHECK_FALSE(trials[1].violation);
}

}  // namespace stored_trials_test
