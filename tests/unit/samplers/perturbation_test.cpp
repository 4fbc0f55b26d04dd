// SPDX-License-Identifier: Apache-2.0
// What the heirs of a population try under pbt.
#include "samplers/perturbation.hpp"

#include <set>

#include "support/catch.hpp"
#include "util/json.hpp"

namespace perturbation_test {

using namespace dlrun;
using namespace dlrun::samplers;
using space::Choice;
using space::Type;
using space::Value;
using space::Values;

namespace {

space::Space mixed() {
  return space::Space({{.name = "lr", .low = 1e-4, .high = 0.1, .log = true},
                       {.name = "drop", .low = 0, .high = 0.5, .step = 0.1},
                       {.name = "width", .type = Type::integer, .low = 1, .high = 64},
                       {.name = "act", .type = Type::categorical, .choices = {"relu", "gelu", "tanh"}}});
}

Donor heir_of(const Values& values) { return {trial::TrialId(0), values}; }

}  // namespace

TEST_CASE("numbers move by a factor, choices to a neighbour", "[samplers][explorer]") {
  Perturbation explorer(mixed(), {.resample = 0}, 3);
  const Values donor{0.01, 0.3, std::int64_t(10), Choice{1}};
  std::set<double> rates;
  std::set<std::int64_t> widths;
  std::set<std::uint32_t> choices;
  for (int n = 0; n < 40; ++n) {
    const Values heir = explorer.explore(n, heir_of(donor), {});
    rates.insert(std::get<double>(heir[0]));
    widths.insert(std::get<std::int64_t>(heir[2]));
    choices.insert(std::get<Choice>(heir[3]).index);
    const double drop = std::get<double>(heir[1]);
    CHECK((drop == 0.2 || drop == 0.4));  // 0.36 and 0.24, on the grid, and moved
  }
  CHECK(rates == std::set<double>{0.01 * 0.8, 0.01 * 1.2});
  CHECK(widths == std::set<std::int64_t>{8, 12});
  CHECK(choices == std::set<std::uint32_t>{0, 2});
}

TEST_CASE("a factor leads to the nearest whole number, from above and from below", "[samplers][explorer]") {
  Perturbation explorer(mixed(), {.resample = 0}, 3);
  std::set<std::int64_t> widths;  // of 11: 8.8 and 13.2
  for (int n = 0; n < 20; ++n)
    widths.insert(
        std::get<std::int64_t>(explorer.explore(n, heir_of({0.01, 0.3, std::int64_t(11), Choice{1}}), {})[2]));
  CHECK(widths == std::set<std::int64_t>{9, 13});
}

TEST_CASE("no value leaves its domain", "[samplers][explorer]") {
  const space::Space space = mixed();
  for (const double resample : {0.0, 0.3}) {
    Perturbation explorer(space, {.resample = resample}, 5);
    for (const Values& start :
         {Values{0.1, 0.5, std::int64_t(64), Choice{2}}, Values{1e-4, 0.0, std::int64_t(1), Choice{0}}}) {
      Values values = start;
      for (int n = 0; n < 200; ++n) {
        values = explorer.explore(n, heir_of(values), {});
        REQUIRE(space.contains(values));
      }
    }
  }
}

TEST_CASE("an integer that rounding would leave moves by one", "[samplers][explorer]") {
  Perturbation explorer(mixed(), {.resample = 0}, 1);
  std::set<std::int64_t> widths;
  for (int n = 0; n < 20; ++n) {
    widths.insert(std::get<std::int64_t>(explorer.explore(n, heir_of({0.01, 0.3, std::int64_t(2), Choice{1}}), {})[2]));
  }
  CHECK(widths == std::set<std::int64_t>{1, 3});
}

TEST_CASE("what becomes active is drawn anew", "[samplers][explorer]") {
  space::Parameter opt{.name = "opt", .type = Type::categorical, .choices = {"sgd", "adam"}};
  space::Parameter mom{.name = "mom", .low = 0.1, .high = 0.9};
  mom.when = {{0, {Choice{0}}}};
  const space::Space space({opt, mom});
  Perturbation explorer(space, {.resample = 0}, 1);
  for (int n = 0; n < 20; ++n) {
    REQUIRE(space.contains(explorer.explore(n, heir_of({Choice{1}, std::monostate()}), {})));
    REQUIRE(space.contains(explorer.explore(n, heir_of({Choice{0}, 0.5}), {})));
  }
}

TEST_CASE("the same decision tries the same, and says what", "[samplers][explorer]") {
  Perturbation one(mixed(), {}, 9), other(mixed(), {}, 9);
  const Values donor{0.01, 0.3, std::int64_t(10), Choice{1}};
  CHECK(one.explore(4, heir_of(donor), {}) == other.explore(4, heir_of(donor), {}));
  CHECK(one.reason() == other.reason());
  CHECK(one.explore(4, heir_of(donor), {}) != one.explore(5, heir_of(donor), {}));
  CHECK(one.reason().find("lr") != std::string::npos);
}

TEST_CASE("heirs of one donor differ from it and from one another", "[samplers][explorer]") {
  const space::Space space({{.name = "lr", .low = 1e-4, .high = 0.1, .log = true}});
  for (int n = 0; n < 40; ++n) {
    Perturbation explorer(space, {.resample = 0}, 9);
    std::vector<Values> taken{{0.01}};
    taken.push_back(explorer.explore(2 * n, heir_of(taken[0]), taken));
    const Values second = explorer.explore(2 * n + 1, heir_of(taken[0]), taken);
    CHECK(std::set<double>{std::get<double>(taken[1][0]), std::get<double>(second[0])} ==
          std::set<double>{0.01 * 0.8, 0.01 * 1.2});
  }
}

TEST_CASE("where nothing else is left a value is drawn twice", "[samplers][explorer]") {
  const space::Space space({{.name = "lr", .low = 1e-4, .high = 0.1, .log = true}});
  Perturbation explorer(space, {.resample = 0}, 9);
  CHECK_NOTHROW(explorer.explore(1, heir_of({0.01}), {{0.01}, {0.01 * 0.8}, {0.01 * 1.2}}));
}

}  // namespace perturbation_test
