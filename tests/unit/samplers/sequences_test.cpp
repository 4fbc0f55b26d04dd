// SPDX-License-Identifier: Apache-2.0
// Low-discrepancy sequences, and the search along them.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "samplers/halton_sequence.hpp"
#include "samplers/quasi_sampler.hpp"
#include "samplers/sobol_sequence.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace sequences_test {

using namespace dlrun;
using namespace dlrun::samplers;
using space::Space;

namespace {

/// How many of `count` equal cells of dimension `d` the points `first` to `last` meet.
std::size_t cells_met(const Sequence& sequence, std::size_t d, std::uint64_t first, std::uint64_t last, int count) {
  std::set<int> cells;
  for (std::uint64_t i = first; i < last; ++i) cells.insert(static_cast<int>(sequence.point(i)[d] * count));
  return cells.size();
}

/// Mean square error of the mean of prod(1 + (u_d - 1/2)) over `n` points, whose integral is 1, over 40 seeds.
template <class Make>
double error_of_mean(const Make& points, int n) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto point = points(seed);
    double mean = 0;
    for (int i = 0; i < n; ++i) {
      double product = 1;
      for (const double u : point(i)) product *= 0.5 + u;
      mean += product / n;
    }
    sum += (mean - 1) * (mean - 1) / 40;
  }
  return std::sqrt(sum);
}

template <class T>
double error_along(int n, int dimensions) {
  const auto make = [&](std::uint64_t seed) {
    return [sequence = T(dimensions, seed)](int i) { return sequence.point(i); };
  };
  return error_of_mean(make, n);
}

double error_at_random(int n, int dimensions) {
  const auto make = [&](std::uint64_t seed) {
    return [random = RandomStream(seed, {"test"}), dimensions](int) mutable {
      std::vector<double> point(dimensions);
      for (double& u : point) u = random.uniform();
      return point;
    };
  };
  return error_of_mean(make, n);
}

}  // namespace

TEST_CASE("each aligned block of a scrambled Sobol sequence meets every cell of every axis once",
          "[samplers][sequences]") {
  const SobolSequence sequence(40, 7);
  for (const std::size_t d : {0, 1, 2, 17, 39}) {
    CHECK(cells_met(sequence, d, 0, 64, 64) == 64);
    CHECK(cells_met(sequence, d, 192, 256, 64) == 64);
  }
}

TEST_CASE("the first two axes of a Sobol sequence form nets", "[samplers][sequences]") {
  const SobolSequence sequence(2, 3);
  std::set<std::pair<int, int>> cells;
  for (int i = 0; i < 64; ++i) {
    const auto p = sequence.point(i);
    cells.insert({static_cast<int>(p[0] * 4), static_cast<int>(p[1] * 16)});
  }
  CHECK(cells.size() == 64);
}

TEST_CASE("sequences take as many dimensions as they say, and no more", "[samplers][sequences]") {
  CHECK(HaltonSequence(HaltonSequence::kMostDimensions, 1).point(1).size() == HaltonSequence::kMostDimensions);
  CHECK_THROWS_WITH(HaltonSequence(HaltonSequence::kMostDimensions + 1, 1), Contains("at most 10000 dimensions"));
  CHECK(SobolSequence(SobolSequence::kMostDimensions, 1).point(1).size() == SobolSequence::kMostDimensions);
  CHECK_THROWS_WITH(SobolSequence(SobolSequence::kMostDimensions + 1, 1), Contains("at most 3667 dimensions"));
}

TEST_CASE("each block of b^k points of a Halton sequence meets every cell of the axis of base b once",
          "[samplers][sequences]") {
  const HaltonSequence sequence(5, 7);
  CHECK(cells_met(sequence, 0, 0, 32, 32) == 32);
  CHECK(cells_met(sequence, 1, 27, 54, 27) == 27);
  CHECK(cells_met(sequence, 4, 0, 121, 121) == 121);
}

TEST_CASE("scrambling follows the seed", "[samplers][sequences]") {
  CHECK(SobolSequence(3, 1).point(5) == SobolSequence(3, 1).point(5));
  CHECK(SobolSequence(3, 1).point(5) != SobolSequence(3, 2).point(5));
  CHECK(HaltonSequence(3, 1).point(5) == HaltonSequence(3, 1).point(5));
  CHECK(HaltonSequence(3, 1).point(5) != HaltonSequence(3, 2).point(5));
}

TEST_CASE("quasi-random means are better than random ones", "[samplers][sequences]") {
  for (const int d : {2, 6}) {
    INFO(d << " dimensions");
    const double random = error_at_random(256, d);
    CHECK(error_along<SobolSequence>(256, d) < 0.2 * random);
    CHECK(error_along<HaltonSequence>(256, d) < 0.3 * random);
  }
}

TEST_CASE("many dimensions are served, too many refused", "[samplers][sequences][errors]") {
  for (const double u : SobolSequence(3667, 1).point(12345)) REQUIRE((u >= 0 && u < 1));
  for (const double u : HaltonSequence(2000, 1).point(12345)) REQUIRE((u >= 0 && u < 1));
  CHECK_THROWS_WITH(SobolSequence(3668, 1), Contains("at most 3667"));
  CHECK_THROWS_WITH(HaltonSequence(10001, 1), Contains("at most 10000"));
}

TEST_CASE("the points a seed gives are part of the format", "[samplers][sequences][golden]") {
  const SobolSequence sobol(2, 7);
  const HaltonSequence halton(2, 7);
  std::string all;
  for (int i = 0; i < 3; ++i) {
    all += fmt::format("{:.9f} {:.9f}\n", sobol.point(i)[0], sobol.point(i)[1]);
    all += fmt::format("{:.9f} {:.9f}\n", halton.point(i)[0], halton.point(i)[1]);
  }
  CHECK(all == R"(0.955446818 0.471195320
0.425930570 0.185720625
0.076821449 0.648201780
0.925930570 0.852387291
0.684393260 0.758656278
0.175930570 0.519053958
)");
}

TEST_CASE("a person's trial uses up no point of the sequence", "[samplers][quasi]") {
  const Space space({{.name = "lr"}});
  const auto make = [&] { return QuasiSampler(space, 7, std::make_unique<SobolSequence>(1, 7)); };
  QuasiSampler sampler = make();
  const auto first = sampler.propose(0);
  sampler.on_start(trial::TrialId(0), {space::Value(0.123)});
  CHECK(sampler.propose(1) == first);
  sampler.on_start(trial::TrialId(1), *first);
  CHECK(sampler.propose(2) != first);
  CHECK_THAT(sampler.reason(), Contains("point 2 of the scrambled sobol sequence"));
}

TEST_CASE("where a space is nearly used up the sequence is left", "[samplers][quasi]") {
  space::Parameter n{.name = "n", .type = space::Type::integer, .low = 1, .high = 5000};
  n.log = true;  // large values have small shares
  const Space space({n});
  QuasiSampler sampler(space, 7, std::make_unique<SobolSequence>(1, 7));
  for (int i = 0; i < 5000; ++i) {
    const auto values = sampler.propose(i);
    REQUIRE(values.has_value());
    sampler.on_start(trial::TrialId(i), *values);
  }
  CHECK_FALSE(sampler.propose(5000).has_value());
}

}  // namespace sequences_test
