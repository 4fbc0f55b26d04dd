// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "pareto/fronts.hpp"
#include "pareto/hypervolume.hpp"
#include "support/catch.hpp"

namespace pareto_test {

using namespace dlrun::pareto;

namespace {

std::vector<Score> feasible(const std::vector<Point>& points) {
  std::vector<Score> scores;
  for (const Point& point : points) scores.push_back({point, 0});
  return scores;
}

/// Points in [0, 1)^d without a pattern, from a linear congruential generator.
std::vector<Point> scattered(std::size_t count, std::size_t dimensions) {
  std::uint64_t state = 12345;
  std::vector<Point> points(count, Point(dimensions));
  for (Point& point : points) {
    for (double& value : point) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      value = double(state >> 11) * 0x1p-53;
    }
  }
  return points;
}

/// By inclusion and exclusion over all subsets: the definition.
double by_definition(const std::vector<Point>& points, const Point& reference) {
  double sum = 0;
  for (std::size_t bits = 1; bits < std::size_t(1) << points.size(); ++bits) {
    double product = -1;
    for (std::size_t m = 0; m < reference.size(); ++m) {
      double most = -1e300;
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (bits >> i & 1) most = std::max(most, points[i][m]);
      }
      product *= std::max(0.0, reference[m] - most);
    }
    sum += product * (__builtin_popcountll(bits) % 2 == 0 ? 1 : -1);
  }
  return sum;
}

}  // namespace

TEST_CASE("fronts are peeled off one after the other", "[pareto]") {
  const auto ranks = ranks_of(feasible({{1, 5}, {2, 3}, {4, 1}, {2, 6}, {3, 4}, {5, 5}, {2, 3}}));
  CHECK(ranks == std::vector<int>{0, 0, 0, 1, 1, 2, 0});
  CHECK(front_of(feasible({{1, 5}, {2, 3}, {4, 1}, {2, 6}, {2, 3}})) == std::vector<std::size_t>{0, 1, 2, 4});
}

TEST_CASE("what is infeasible comes after all that is not, by its violation", "[pareto]") {
  const std::vector<Score> scores = {{{0, 0}, 2}, {{9, 9}, 0}, {{1, 1}, 1}, {{8, 8}, 0}, {{5, 5}, 2}};
  CHECK(ranks_of(scores) == std::vector<int>{3, 1, 2, 0, 3});
  CHECK(dominates(scores[1], scores[0]));
  CHECK(dominates(scores[2], scores[0]));
  CHECK_FALSE(dominates(scores[0], scores[4]));
  CHECK(order_of(scores).front() == 3);
}

TEST_CASE("the front is what no other dominates, in any number of objectives", "[pareto]") {
  const std::size_t dimensions = GENERATE(2u, 3u, 5u);
  const auto points = scattered(200, dimensions);
  const auto ranks = ranks_of(feasible(points));
  for (std::size_t i = 0; i < points.size(); ++i) {
    int before = -1;  // the last front that dominates it
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (dominates(points[j], points[i])) before = std::max(before, ranks[j]);
    }
    CHECK(ranks[i] == before + 1);
  }
}

TEST_CASE("crowding is infinite at the ends and the neighbours' distance between", "[pareto]") {
  const auto scores = feasible({{0, 10}, {1, 6}, {4, 2}, {10, 0}});
  const auto crowding = crowding_of(scores, {0, 1, 2, 3});
  CHECK(std::isinf(crowding[0]));
  CHECK(std::isinf(crowding[3]));
  CHECK(crowding[1] == Approx(4.0 / 10 + 8.0 / 10));
  CHECK(crowding[2] == Approx(9.0 / 10 + 6.0 / 10));
}

TEST_CASE("the first of a spread order lie far from one another", "[pareto]") {
  CHECK(spread_order({{0, 10}, {0.1, 9}, {5, 5}, {10, 0}}) == std::vector<std::size_t>{0, 3, 2, 1});
  CHECK(spread_order({{1, 1}, {1, 1}}) == std::vector<std::size_t>{0, 1});
}

TEST_CASE("the hypervolume is that of the boxes together", "[pareto][hypervolume]") {
  SECTION("by hand") {
    CHECK(hypervolume({{1, 3}, {2, 2}, {3, 1}}, {4, 4}) == 6);  // 3 x 1 + 2 x 1 + 1 x 1
    CHECK(hypervolume({{1, 1, 1}}, {2, 3, 4}) == 6);
    CHECK(hypervolume({{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}, {2, 2, 2}) == 4);  // 3 x 2 - 3 x 1 + 1
    CHECK(hypervolume({{3}, {1}}, {5}) == 4);
  }
  SECTION("what is not better than the reference counts nothing") {
    CHECK(hypervolume({{5, 0}, {4, 1}}, {4, 4}) == 0);
    CHECK(hypervolume({{1, 1}, {9, 0}}, {4, 4}) == 9);
    CHECK(hypervolume({}, {1, 1}) == 0);
  }
  SECTION("as inclusion and exclusion define it") {
    const std::size_t dimensions = GENERATE(2u, 3u, 4u, 6u);
    const Point reference(dimensions, 0.9);
    const auto points = scattered(11, dimensions);
    CHECK(hypervolume(points, reference) == Approx(by_definition(points, reference)).epsilon(1e-10));
  }
}

TEST_CASE("the hypervolume is that of Optuna 5.0.0", "[pareto][hypervolume]") {
  const std::vector<Point> three = {{0.962, 0.725, 0.541}, {0.277, 0.161, 0.97},  {0.516, 0.116, 0.623},
                                    {0.777, 0.613, 0.917}, {0.04, 0.529, 0.459},  {0.062, 0.641, 0.853},
                                    {0.593, 0.26, 0.84},   {0.509, 0.511, 0.753}, {0.148, 0.82, 0.683},
                                    {0.787, 0.192, 0.802}, {0.191, 0.082, 0.855}, {0.861, 0.877, 0.472}};
  CHECK(hypervolume(three, {1, 1, 1}) == Approx(0.34344169099999994).epsilon(1e-12));
  const std::vector<Point> five = {
      {0.996, 0.243, 0.257, 0.073, 0.258}, {0.763, 0.698, 0.129, 0.376, 0.421}, {0.665, 0.456, 0.587, 0.84, 0.726},
      {0.365, 0.448, 0.368, 0.11, 0.203},  {0.284, 0.314, 0.313, 0.577, 0.972}, {0.775, 0.791, 0.759, 0.597, 0.918},
      {0.69, 0.5, 0.077, 0.488, 0.213},    {0.133, 0.506, 0.785, 0.295, 0.769}, {0.526, 0.149, 0.965, 0.402, 0.295},
      {0.847, 0.124, 0.734, 0.188, 0.392}, {0.232, 0.841, 0.39, 0.975, 0.625},  {0.694, 0.522, 0.309, 0.396, 0.941}};
  CHECK(hypervolume(five, {1, 1, 1, 1, 1}) == Approx(0.190076048073343).epsilon(1e-12));
}

TEST_CASE("a point contributes what is lost without it", "[pareto][hypervolume]") {
  CHECK(contributions({{1, 3}, {2, 2}, {3, 1}, {3, 3}}, {4, 4}) == std::vector<double>{1, 1, 1, 0});
}

TEST_CASE("a subset takes what adds most, point by point", "[pareto][hypervolume]") {
  const std::vector<Point> points = {{0, 9}, {9, 0}, {4, 4}, {4.5, 3.9}};
  CHECK(subset(points, {10, 10}, 1) == std::vector<std::size_t>{2});
  CHECK(subset(points, {10, 10}, 3) == std::vector<std::size_t>{0, 1, 2});
  CHECK(subset(points, {10, 10}, 9).size() == 4);
}

}  // namespace pareto_test
