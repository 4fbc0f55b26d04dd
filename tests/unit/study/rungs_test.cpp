// SPDX-License-Identifier: Apache-2.0
// Epochs of pieces, from the rungs alone.
#include "study/rungs.hpp"

#include "support/catch.hpp"

namespace rungs_test {

using namespace dlrun::study;
using dlrun::trial::TrialId;

TEST_CASE("a study without rungs has one, the whole budget", "[study][rungs]") {
  const Rungs rungs({}, 9);
  CHECK(rungs.epochs_at(0) == 9);
  CHECK(rungs.is_last(0));
  CHECK_FALSE(rungs.has(1));
}

TEST_CASE("a piece leads from one rung to the next", "[study][rungs]") {
  const Rungs rungs({1, 3, 9}, 9);
  const Record trial;
  CHECK(rungs.steps_of(trial, 0).from == 0);
  CHECK(rungs.steps_of(trial, 0).to == 1);
  CHECK(rungs.steps_of(trial, 2).from == 3);
  CHECK(rungs.steps_of(trial, 2).count() == 6);
  CHECK_FALSE(rungs.is_last(1));
  CHECK(rungs.is_last(2));
}

TEST_CASE("the first piece of a trial may lead to a later rung", "[study][rungs]") {
  const Rungs rungs({1, 3, 9}, 9);
  Record trial;
  trial.first = 1;
  SECTION("a trial of a bracket trains all of it") { CHECK(rungs.steps_of(trial, 0).from == 0); }
  SECTION("an heir starts where its donor stood") {
    trial.donor = TrialId(4);
    CHECK(rungs.steps_of(trial, 0).from == 1);
  }
  CHECK(rungs.steps_of(trial, 0).to == 3);
  CHECK(rungs.steps_of(trial, 1).from == 3);
}

}  // namespace rungs_test
