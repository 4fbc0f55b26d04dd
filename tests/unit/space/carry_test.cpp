// SPDX-License-Identifier: Apache-2.0
// Points of one space as points of another.
#include "space/carry.hpp"

#include "support/catch.hpp"
#include "util/json.hpp"

namespace carry_test {

using namespace dlrun;
using namespace dlrun::space;

namespace {

using Kind = Meeting::Kind;

Parameter real(double low, double high, bool log = false) {
  return {.name = "p", .low = low, .high = high, .log = log};
}
Parameter integer(double low, double high) { return {.name = "p", .type = Type::integer, .low = low, .high = high}; }
Parameter choice(std::vector<Json> choices) {
  return {.name = "p", .type = Type::categorical, .choices = std::move(choices)};
}
Parameter constant(const Json& value) { return {.name = "p", .type = Type::constant, .choices = {value}}; }

Kind meet(const Parameter& there, const Parameter& here) { return meetings(Space({there}), Space({here}))[0].kind; }

}  // namespace

TEST_CASE("domains of one name are common, disjoint or contradictory", "[space][carry]") {
  CHECK(meet(real(1, 10), real(5, 20)) == Kind::shared);
  CHECK(meet(real(1, 10), real(1, 10, true)) == Kind::shared);
  CHECK(meet(real(1, 2), real(3, 4)) == Kind::disjoint);
  CHECK(meet(integer(1, 2), integer(2, 4)) == Kind::shared);
  CHECK(meet(integer(1, 9), real(1, 9)) == Kind::contradictory);
  CHECK(meet(choice({1, 2}), integer(1, 9)) == Kind::contradictory);
  CHECK(meet(choice({"a", "b"}), choice({"b", "c"})) == Kind::shared);
  CHECK(meet(choice({"a"}), choice({"b", "c"})) == Kind::disjoint);
  CHECK(meet(constant(0.5), real(0, 1)) == Kind::shared);
  CHECK(meet(real(0, 1), constant(2)) == Kind::disjoint);
  CHECK(meetings(Space({real(0, 1)}), Space({{.name = "q"}}))[0].kind == Kind::missing);
}

TEST_CASE("a choice is carried by what it is, not by its number", "[space][carry]") {
  const Space from({choice({"a", "b", "c"})});
  const Space to({choice({"c", "d", "b"})});
  CHECK(carried(from, {Choice{1}}, to).values == Values{Choice{2}});
  CHECK(carried(from, {Choice{2}}, to).values == Values{Choice{0}});
  CHECK(carried(from, {Choice{0}}, to).outside == "'p' is outside of its domain");
}

TEST_CASE("numbers are carried as they are, where the domain has them", "[space][carry]") {
  CHECK(carried(Space({real(0, 1)}), {0.25}, Space({real(0.2, 5, true)})).values == Values{0.25});
  CHECK(carried(Space({real(0, 1)}), {0.1}, Space({real(0.2, 5)})).outside == "'p' is outside of its domain");
  Parameter coarse = integer(0, 10);
  coarse.step = 5;
  CHECK(carried(Space({integer(0, 10)}), {std::int64_t(5)}, Space({coarse})).values == Values{std::int64_t(5)});
  CHECK_FALSE(carried(Space({integer(0, 10)}), {std::int64_t(6)}, Space({coarse})).outside.empty());
}

TEST_CASE("a parameter that is new is unset, one that was given up is dropped", "[space][carry]") {
  const Space from({{.name = "a"}, {.name = "b"}});
  const Space to({{.name = "new"}, {.name = "b"}});
  CHECK(carried(from, {0.1, 0.2}, to).values == Values{std::monostate(), 0.2});
}

TEST_CASE("a point is carried only where both spaces set the same parameters", "[space][carry]") {
  Parameter child{.name = "child"};
  Parameter opt{.name = "opt", .type = Type::categorical, .choices = {"sgd", "adam"}};
  const Space free({opt, child});
  child.when = {{0, {Choice{0}}}};
  const Space bound({opt, child});
  CHECK(carried(free, {Choice{0}, 0.5}, bound).values == Values{Choice{0}, 0.5});
  CHECK(carried(free, {Choice{1}, 0.5}, bound).outside == "'child' would not be active");
  CHECK(carried(bound, {Choice{1}, std::monostate()}, free).outside == "'child' has no value");
}

}  // namespace carry_test
