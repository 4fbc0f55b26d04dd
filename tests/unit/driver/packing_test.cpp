// SPDX-License-Identifier: Apache-2.0
#include "driver/packing.hpp"

#include <algorithm>
#include <numeric>

#include "support/catch.hpp"
#include "util/random.hpp"

namespace packing_test {

using namespace dlrun;
using namespace dlrun::driver;
using Numbers = std::vector<double>;

namespace {

/// The earliest end of all ways to give the pieces from `next` on to workers.
double best_end(const Numbers& lengths, const Numbers& busy, std::size_t next = 0) {
  if (next == lengths.size()) return *std::max_element(busy.begin(), busy.end());
  double best = 1e9;
  for (std::size_t worker = 0; worker < busy.size(); ++worker) {
    Numbers then = busy;
    then[worker] += lengths[next];
    best = std::min(best, best_end(lengths, then, next + 1));
  }
  return best;
}

/// When the last worker ends, counted again; fails if a piece is lost or given twice.
double end_of(const Packing& packing, const Numbers& lengths, const Numbers& busy) {
  std::vector<int> given(lengths.size());
  double end = 0;
  REQUIRE(packing.pieces.size() == busy.size());
  for (std::size_t worker = 0; worker < busy.size(); ++worker) {
    double load = busy[worker];
    for (const std::size_t piece : packing.pieces[worker]) {
      ++given[piece];
      CHECK(lengths[piece] <= lengths[packing.pieces[worker].front()]);
      load += lengths[piece];
    }
    end = std::max(end, load);
  }
  CHECK(std::all_of(given.begin(), given.end(), [](int times) { return times == 1; }));
  return end;
}

/// Twenty variants and the baseline in ten replicates: 1, 0.98, … 0.6.
Numbers lengths_of_a_study() {
  Numbers lengths;
  for (int i = 0; i < 210; ++i) lengths.push_back(1 - 0.02 * (i % 21));
  return lengths;
}

}  // namespace

TEST_CASE("a packing ends earlier than the longest first where that fills badly", "[driver][packing]") {
  const Numbers lengths = {3, 3, 2, 2, 2}, idle = {0, 0};
  CHECK(spread(lengths, idle).end == 7);  // Graham 1969
  const Packing packing = pack(lengths, idle);
  CHECK(packing.end == 6);
  CHECK(end_of(packing, lengths, idle) == 6);
}

TEST_CASE("workers that are busy get less", "[driver][packing]") {
  const Numbers lengths = {4, 3, 2}, busy = {5, 0, 1};
  const Packing packing = pack(lengths, busy);
  CHECK(packing.end == 5);
  CHECK(end_of(packing, lengths, busy) == 5);
  CHECK(packing.pieces[0].empty());
}

TEST_CASE("the last rounds of an ablation are packed closely", "[driver][packing]") {
  const Numbers lengths = lengths_of_a_study(), idle(64, 0.0);
  const double mean = std::accumulate(lengths.begin(), lengths.end(), 0.0) / 64;
  CHECK(spread(lengths, idle).end / mean > 1.15);
  CHECK(end_of(pack(lengths, idle), lengths, idle) / mean < 1.03);
}

TEST_CASE("a packing is near the best there is, and never worse than the longest first", "[driver][packing]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomStream random(seed, {"packing"});
    Numbers lengths(1 + random.below(8)), busy(1 + random.below(3));
    for (double& length : lengths) length = 1 + double(random.below(20));
    for (double& seconds : busy) seconds = double(random.below(10));
    const Packing packing = pack(lengths, busy);
    const double end = end_of(packing, lengths, busy), best = best_end(lengths, busy);
    CAPTURE(seed, end, best);
    CHECK(end == packing.end);
    CHECK(end <= spread(lengths, busy).end);
    CHECK(end >= best);
    CHECK(end <= 1.25 * best);
  }
}

TEST_CASE("no pieces leave workers as they are", "[driver][packing]") {
  CHECK(pack({}, {2, 0}).end == 2);
  CHECK(pack({}, {0}).pieces == std::vector<std::vector<std::size_t>>{{}});
}

}  // namespace packing_test
