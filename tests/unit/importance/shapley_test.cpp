// SPDX-License-Identifier: Apache-2.0
#include "importance/shapley.hpp"

#include "functions.hpp"
#include "support/catch.hpp"

namespace shapley_test {

using namespace dlrun;
using importance::shapley;
using space::Choice;
using support::cube;
using support::real;
using support::sample;

TEST_CASE("parameters that add up have Shapley values in proportion to their slopes", "[importance][shapley]") {
  const auto found =
      shapley(sample(cube(4, 0, 1), 1000, [](const auto& v) { return 4 * real(v, 0) + 2 * real(v, 1) + real(v, 2); }));
  CHECK(found.parameters[0].value == Approx(4.0 / 7).margin(0.05));
  CHECK(found.parameters[1].value == Approx(2.0 / 7).margin(0.05));
  CHECK(found.parameters[2].value == Approx(1.0 / 7).margin(0.05));
  CHECK(found.parameters[3].value < 0.02);
}

TEST_CASE("what needs several parameters is shared among them", "[importance][shapley]") {
  const std::vector<nlohmann::json> choices{0, 1};
  const auto choice = [&](const char* name) {
    return space::Parameter{.name = name, .type = space::Type::categorical, .choices = choices};
  };
  const space::Space space({choice("a"), choice("b"), choice("c"), {.name = "none"}});
  const auto index = [](const space::Values& v, std::size_t i) { return std::get<Choice>(v[i]).index; };
  // Worth 1 only where all three are 1. Each one's value at a point follows from the 6 orders; the three are alike.
  const auto found =
      shapley(sample(space, 400, [&](const auto& v) { return index(v, 0) * index(v, 1) * index(v, 2); }));
  for (std::size_t i = 0; i < 3; ++i) CHECK(found.parameters[i].value == Approx(1.0 / 3).margin(0.04));
  CHECK(found.parameters[3].value < 0.01);
}

TEST_CASE("shares of Shapley values sum to one", "[importance][shapley]") {
  const auto found = shapley(
      sample(cube(3, 0, 1), 100, [](const auto& v) { return real(v, 0) * real(v, 1) + real(v, 2) * real(v, 2); }));
  double sum = 0;
  for (const auto& share : found.parameters) sum += share.value;
  CHECK(sum == Approx(1));
}

}  // namespace shapley_test
