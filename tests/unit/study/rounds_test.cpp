// SPDX-License-Identifier: Apache-2.0
// Rounds alone: which members owe a piece, and how many epochs these are.
#include "study/rounds.hpp"

#include "support/catch.hpp"

namespace rounds_test {

using namespace dlrun::study;
using dlrun::trial::TrialId;

namespace {

Round three_members(std::int64_t epochs) {
  Round round;
  round.epochs = epochs;
  round.owed = {0, 1, 2};
  return round;
}

}  // namespace

TEST_CASE("a round is over when no member's piece is pending or owed", "[study][rounds]") {
  Rounds rounds;
  rounds.open(TrialId(4), three_members(2));
  CHECK(rounds.owed_epochs() == 6);
  for (const int member : {0, 1, 2}) {
    CHECK(rounds.find(TrialId(4))->owes(member));
    rounds.settle(TrialId(4), member);
    CHECK_FALSE(rounds.find(TrialId(4))->owes(member));
  }
  CHECK(rounds.owed_epochs() == 0);
  CHECK(rounds.owing().empty());
  CHECK_FALSE(rounds.find(TrialId(4))->is_over());
  rounds.find(TrialId(4))->pending = 0;
  CHECK(rounds.find(TrialId(4))->is_over());
}

TEST_CASE("trials owe in the order of their rounds", "[study][rounds]") {
  Rounds rounds;
  rounds.open(TrialId(7), three_members(1));
  rounds.open(TrialId(2), three_members(5));
  CHECK(rounds.owing().front() == TrialId(7));
  SECTION("a dropped round owes nothing, but its pending pieces count") {
    rounds.settle(TrialId(7), 0);
    rounds.drop_owed(TrialId(7));
    CHECK(rounds.find(TrialId(7))->pending == 1);
  }
  SECTION("a closed round is gone with all that it owed") {
    rounds.close(TrialId(7));
    CHECK(rounds.find(TrialId(7)) == nullptr);
  }
  CHECK(rounds.owing().front() == TrialId(2));
  CHECK(rounds.owed_epochs() == 15);
  rounds.drop_owed(TrialId(9));  // no round, nothing owed
  CHECK(rounds.owed_epochs() == 15);
}

}  // namespace rounds_test
