// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>

#include "space/points.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace space_test {

using namespace dlrun;
using namespace dlrun::space;

namespace {

Parameter integer(const std::string& name, double low, double high) {
  return {.name = name, .type = Type::integer, .low = low, .high = high};
}

Parameter choice(const std::string& name, std::vector<Json> choices) {
  return {.name = name, .type = Type::categorical, .choices = std::move(choices)};
}

/// opt: sgd | adam; mom: 3 values where sgd; nesterov: two where sgd and mom is 1 or 2; width: 4 values
Space conditional() {
  Parameter opt = choice("opt", {"sgd", "adam"});
  Parameter mom = integer("mom", 0, 2);
  mom.when = {{0, {Choice{0}}}};
  Parameter nesterov = choice("nesterov", {false, true});
  nesterov.when = {{0, {Choice{0}}}, {1, {std::int64_t(1), std::int64_t(2)}}};
  return Space({opt, mom, nesterov, integer("width", 1, 4)});
}

}  // namespace

TEST_CASE("every value of a finite domain has an equal share of the unit interval", "[space][unit]") {
  const Space space(
      {integer("n", -1, 3), choice("c", {"a", "b", "c"}), {.name = "s", .low = 0.1, .high = 0.7, .step = 0.1}});
  for (std::size_t i = 0; i < space.size(); ++i) {
    const std::int64_t n = *space.count(i);
    for (int k = 0; k < 1000; ++k) {
      const double unit = (k + 0.5) / 1000;
      CHECK(space.index_of(i, space.from_unit(i, unit)) == std::int64_t(unit * double(n)));
    }
  }
}

TEST_CASE("integers end at high, however many there are", "[space][unit]") {
  const auto [low, high] = GENERATE(table<double, double>({{1, 1e12}, {0, 1e15}, {-4e14, 4e14}}));
  const Space space({integer("n", low, high)});
  CHECK(*space.count(0) == std::int64_t(high) - std::int64_t(low) + 1);
  CHECK(space.from_unit(0, 1 - 0x1p-53) == Value(std::int64_t(high)));
  Parameter stepped = integer("n", 1, 1e15);
  stepped.step = 7;
  CHECK(*Space({stepped}).count(0) == (1'000'000'000'000'000 - 1) / 7 + 1);
}

TEST_CASE("a step gives the numbers a person would write", "[space][step]") {
  const Space space({{.name = "s", .low = 0.1, .high = 0.7, .step = 0.1}});
  CHECK(*space.count(0) == 7);
  CHECK(to_text(space.to_json(0, space.value_at(0, 2))) == "0.3");
  CHECK(space.value_at(0, 6) == Value(0.7));
  CHECK(space.from_json(0, 0.1 + 0.2) == Value(0.3));
  CHECK_THROWS_WITH(space.from_json(0, 0.35),
                    "0.35 is no value of parameter 's', which is a number from 0.1 to 0.7 in steps of 0.1");
}

TEST_CASE("a log scale gives equal ratios equal shares", "[space][log]") {
  const Space space({{.name = "lr", .low = 1e-4, .high = 1e-2, .log = true},
                     {.name = "n", .type = Type::integer, .low = 1, .high = 1024, .log = true}});
  CHECK(std::get<double>(space.from_unit(0, 0.5)) == Approx(1e-3));
  int below_32 = 0;
  for (int k = 0; k < 1000; ++k) below_32 += std::get<std::int64_t>(space.from_unit(1, (k + 0.5) / 1000)) <= 32;
  CHECK(below_32 == Approx(1000 * std::log(32.5 / 0.5) / std::log(1024.5 / 0.5)).margin(1));
}

TEST_CASE("conditions decide what is active and what is a point", "[space][when]") {
  const Space space = conditional();
  const Values sgd{Choice{0}, std::int64_t(1), Choice{1}, std::int64_t(4)};
  const Values adam{Choice{1}, std::monostate(), std::monostate(), std::int64_t(4)};
  CHECK(space.contains(sgd));
  CHECK(space.contains(adam));
  CHECK_FALSE(space.contains({Choice{1}, std::int64_t(1), std::monostate(), std::int64_t(4)}));
  CHECK_FALSE(space.contains({Choice{0}, std::int64_t(0), Choice{0}, std::int64_t(4)}));
  CHECK_FALSE(space.contains({Choice{0}, std::int64_t(1), Choice{1}, std::int64_t(5)}));
  CHECK(to_text(space.params(adam)) == R"({"opt":"adam","width":4})");
}

TEST_CASE("points of a conditional space are counted and numbered once each", "[space][points]") {
  const Space space = conditional();
  REQUIRE(space.cardinality() == (1 + 2 + 2 + 1) * 4);
  const Points points(space);
  std::set<std::string> seen;
  for (std::int64_t k = 0; k < *points.size(); ++k) {
    const Values values = points.at(k);
    CHECK(space.contains(values));
    CHECK(points.number_of(values) == k);
    seen.insert(to_text(space.params(values)));
  }
  CHECK(seen.size() == 24);
}

TEST_CASE("large and infinite spaces are not counted", "[space][points]") {
  CHECK_FALSE(Space({{.name = "x"}}).cardinality());
  CHECK(Space({{.name = "x", .low = 2, .high = 2}}).cardinality() == 1);
  std::vector<Parameter> many;
  for (int i = 0; i < 8; ++i) many.push_back(integer("p" + std::to_string(i), 0, 255));
  CHECK_FALSE(Space(many).cardinality());  // 2^64
  many.resize(6);
  CHECK(Space(many).cardinality() == std::int64_t(1) << 48);
}

TEST_CASE("a continuous parameter that is never active leaves the space finite", "[space][points]") {
  Parameter x{.name = "x"};
  x.when = {{0, {Choice{0}}}, {0, {Choice{1}}}};  // both at once never hold
  CHECK(Space({choice("c", {1, 2}), x}).cardinality() == 2);
}

TEST_CASE("domains that make no sense are refused, by name", "[space][errors]") {
  CHECK_THROWS_WITH(Space({{.name = "x", .low = 2, .high = 1}}), Contains("'x' needs low <= high"));
  CHECK_THROWS_WITH(Space({{.name = "x", .low = 0, .high = 1, .log = true}}), Contains("needs low > 0"));
  CHECK_THROWS_WITH(Space({{.name = "x", .low = 1, .high = 2, .log = true, .step = 1.0}}), Contains("step and a log"));
  CHECK_THROWS_WITH(Space({{.name = "x", .low = 0, .high = std::nan("")}}), Contains("finite"));
  CHECK_THROWS_WITH(Space({{.name = "n", .type = Type::integer, .low = 0.5, .high = 2}}), Contains("whole"));
  CHECK_THROWS_WITH(Space({choice("c", {})}), Contains("no choices"));
  CHECK_THROWS_WITH(Space({choice("c", {1, 1})}), Contains("twice"));
  CHECK_THROWS_WITH(Space({choice("c", {1}), choice("c", {2})}), Contains("given twice"));
  Parameter x{.name = "x"};
  x.when = {{0, {Choice{7}}}};
  CHECK_THROWS_WITH(Space({choice("c", {1, 2}), x}), Contains("never has"));
  CHECK_NOTHROW(Space({choice("c", {1, 1.0, true, "1"})}));
}

}  // namespace space_test
