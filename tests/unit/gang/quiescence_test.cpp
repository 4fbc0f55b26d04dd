// SPDX-License-Identifier: Apache-2.0
// A gang is at rest when two waves running found all idle, and the same messages sent and taken.
#include "gang/quiescence.hpp"
#include "support/catch.hpp"

namespace quiescence_test {

using namespace dlrun::gang;

namespace {

bool wave(Quiescence& gang, const std::vector<Tally>& tallies) {
  gang.note_wave();
  bool is_at_rest = false;
  for (const Tally& tally : tallies) is_at_rest = gang.add(tally);
  return is_at_rest;
}

}  // namespace

TEST_CASE("nobody is asked while a wave is under way", "[gang]") {
  Quiescence gang(2);
  CHECK(gang.may_ask());
  gang.note_wave();
  CHECK_FALSE(gang.may_ask());
  gang.add({true, 0, 0});
  CHECK_FALSE(gang.may_ask());
  gang.add({false, 0, 0});
  CHECK(gang.may_ask());
}

TEST_CASE("two equal waves of idle processes are a rest, and nothing less", "[gang]") {
  Quiescence gang(2);
  CHECK_FALSE(wave(gang, {{true, 5, 3}, {true, 1, 3}}));  // all messages taken, for the first time
  CHECK(wave(gang, {{true, 5, 3}, {true, 1, 3}}));
  CHECK_FALSE(wave(gang, {{true, 6, 3}, {true, 1, 3}}));  // one is under way
  CHECK_FALSE(wave(gang, {{true, 6, 3}, {true, 1, 4}}));
  CHECK_FALSE(wave(gang, {{true, 7, 4}, {true, 1, 4}}));   // as many taken, but one more than in the wave before
  CHECK_FALSE(wave(gang, {{true, 7, 4}, {false, 1, 4}}));  // somebody is at work
  CHECK_FALSE(wave(gang, {{true, 7, 4}, {true, 1, 4}}));
  CHECK(wave(gang, {{true, 7, 4}, {true, 1, 4}}));
}

}  // namespace quiescence_test
