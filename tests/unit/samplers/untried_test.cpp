// SPDX-License-Identifier: Apache-2.0
// Points that were not tried, and keep the constraints.
#include "samplers/untried.hpp"

#include "support/catch.hpp"
#include "util/json.hpp"

namespace untried_test {

using namespace dlrun;
using namespace dlrun::samplers;
using space::Values;

namespace {

/// Two numbers of [0, 1] whose sum is at most 1.
space::Space triangle() {
  return space::Space({{.name = "x"}, {.name = "y"}},
                      {space::Constraint{"x + y <= 1", space::Linear{{{0, 1}, {1, 1}}, space::Relation::at_most, 1}}});
}

}  // namespace

TEST_CASE("a drawn point that keeps the constraints is taken as it is", "[samplers][untried]") {
  Untried untried(triangle());
  RandomStream random(1, {"test"});
  std::string reason;
  CHECK(untried.pick(
            random,
            [] {
              return Values{0.25, 0.5};
            },
            reason) == Values{0.25, 0.5});
  CHECK(reason.empty());
}

TEST_CASE("a drawn point that does not is drawn anew, and at last moved", "[samplers][untried]") {
  Untried untried(triangle());
  RandomStream random(1, {"test"});
  std::string reason;
  int draws = 0;
  const auto second = [&] { return draws++ == 0 ? Values{1.0, 1.0} : Values{0.5, 0.25}; };
  CHECK(untried.pick(random, second, reason) == Values{0.5, 0.25});
  CHECK(reason.empty());
  const Values moved = untried.pick(
      random,
      [] {
        return Values{1.0, 0.5};
      },
      reason);
  CHECK(std::get<double>(moved[0]) + std::get<double>(moved[1]) == Approx(1));
  CHECK(reason == "; moved to where the constraints hold");
}

TEST_CASE("a random point says that it is one if every draw was tried", "[samplers][untried]") {
  Untried untried(space::Space({{.name = "n", .type = space::Type::integer, .low = 1, .high = 3}}));
  untried.insert({std::int64_t(2)});
  RandomStream random(1, {"test"});
  std::string reason = "a child";
  const Values values = untried.pick(
      random, [] { return Values{std::int64_t(2)}; }, reason);
  CHECK(untried.is_new(values));
  CHECK(reason == "a child; a random one: what it led to was tried");
}

TEST_CASE("the reason of a moved point is that of the draw which was moved", "[samplers][untried]") {
  Untried untried(triangle());
  RandomStream random(1, {"test"});
  std::string reason;
  int draws = 0;
  const auto draw = [&] {
    reason = "draw " + std::to_string(draws++);
    return Values{1.0, 1.0};
  };
  untried.pick(random, draw, reason);
  CHECK(reason == "draw 0; moved to where the constraints hold");
}

}  // namespace untried_test
