// SPDX-License-Identifier: Apache-2.0
#include "driver/last_rounds.hpp"

#include <algorithm>

#include "support/catch.hpp"

namespace last_rounds_test {

using namespace dlrun;
using namespace dlrun::driver;
using Indices = std::vector<std::size_t>;

namespace {

Length variant(std::int64_t kind, double ticks = 1000, bool unlocks = false) {
  return {.kind = kind, .epochs = 1, .ticks = ticks, .unlocks = unlocks};
}

trial::PieceKey run(std::int64_t number) { return {{trial::TrialId(number)}, 0}; }

std::vector<LastRounds::Waiting> waiting_of(const std::vector<Length>& lengths) {
  std::vector<LastRounds::Waiting> out;
  for (const Length& length : lengths) out.push_back({run(std::int64_t(out.size())), length});
  return out;
}

}  // namespace

TEST_CASE("a run is expected to take what runs of its variant took", "[driver][order]") {
  LastRounds rounds;
  CHECK(rounds.expected(variant(1, 500)) == 500);  // ticks, before anything has ended
  rounds.learn(variant(1), 10);
  CHECK(rounds.expected(variant(1, 500)) == 5);
  CHECK(rounds.expected(variant(2, 2000)) == 20);  // what a tick takes elsewhere
  for (int i = 0; i < 3; ++i) rounds.learn(variant(2), 50);
  CHECK(rounds.expected(variant(2)) == Approx((3 * 50 + 40) / 4.0));              // and once the mean of all four
  CHECK(rounds.expected({.kind = 2, .epochs = 5, .ticks = 1000}) == Approx(40));  // other pieces
}

TEST_CASE("the packing begins with the last three rounds", "[driver][order]") {
  CHECK_FALSE(LastRounds::has_begun(7, 2));
  CHECK(LastRounds::has_begun(6, 2));
}

TEST_CASE("idle workers begin the longest runs of a packing", "[driver][order]") {
  LastRounds rounds;
  const auto waiting = waiting_of({variant(0, 2), variant(1, 2), variant(2, 3), variant(3, 2), variant(4, 3)});
  CHECK(rounds.choose(waiting, {}, 2) == Indices{2, 0});  // 3 + 3 and 2 + 2 + 2
  CHECK(rounds.choose(waiting, {}, 9).size() == 5);
  CHECK(rounds.choose(waiting_of({variant(0), variant(1)}), {}, 1) ==
        Indices{0});  // of equal ones the earliest decided
}

TEST_CASE("seconds that runs still take count", "[driver][order]") {
  LastRounds rounds;
  rounds.learn(variant(7, 1), 1);
  const auto waiting = waiting_of({variant(0, 4), variant(1, 3), variant(2, 3)});
  CHECK(rounds.choose(waiting, {{run(9), variant(3, 9), 7}}, 1) == Indices{1});   // 3 + 3 here, 2 + 4 there
  CHECK(rounds.choose(waiting, {{run(9), variant(3, 9), 3}}, 1) == Indices{0});   // 4 + 3 here, 6 + 3 there
  CHECK(rounds.choose(waiting, {{run(9), variant(3, 9), 20}}, 1) == Indices{0});  // late, so expected to end now
}

TEST_CASE("runs that others wait for leave before longer ones", "[driver][order]") {
  LastRounds rounds;
  const auto waiting = waiting_of({variant(0, 9), variant(1, 1, true), variant(2, 3, true), variant(3, 8)});
  CHECK(rounds.choose(waiting, {}, 1) == Indices{2});
  CHECK(rounds.choose(waiting, {}, 3) == Indices{2, 1, 0});
}

TEST_CASE("a worker that is to run the short ones goes on with them", "[driver][order]") {
  LastRounds rounds;
  const auto all = waiting_of({variant(0, 5), variant(1, 5), variant(2, 5), variant(3, 3), variant(4, 3), variant(5, 3),
                               variant(6, 3), variant(7, 3)});
  REQUIRE(rounds.choose(all, {}, 2) == Indices{0, 3});  // 5 + 5 + 5 and 3 + 3 + 3 + 3 + 3
  rounds.learn(variant(3, 3), 3);
  const std::vector<LastRounds::Waiting> rest = {all[1], all[2], all[4], all[5], all[6], all[7]};
  CHECK(rounds.choose(rest, {{run(0), variant(0, 5), 3}}, 1) == Indices{2});
}

TEST_CASE("a plan outlives a worker that is lost, and has room for runs that come back", "[driver][order]") {
  LastRounds rounds;
  const auto all = waiting_of({variant(0, 5), variant(1, 5), variant(2, 5), variant(3, 3), variant(4, 3), variant(5, 3),
                               variant(6, 3), variant(7, 3)});
  REQUIRE(rounds.choose(all, {}, 2) == Indices{0, 3});
  Indices left = rounds.choose(all, {}, 1);  // one worker for both, and all runs again
  CHECK(left.size() == 1);
  left = rounds.choose(all, {}, 8);
  std::sort(left.begin(), left.end());
  CHECK(left == Indices{0, 1, 2, 3, 4, 5, 6, 7});
}

}  // namespace last_rounds_test
