// SPDX-License-Identifier: Apache-2.0
#include "space/constraint.hpp"

#include <set>

#include "space/feasible_draw.hpp"
#include "space/feasible_points.hpp"
#include "space/program.hpp"
#include "support/catch.hpp"
#include "util/json.hpp"

namespace constraint_test {

using namespace dlrun;
using namespace dlrun::space;

namespace {

Parameter real(const std::string& name, double low, double high) {
  return {.name = name, .type = Type::real, .low = low, .high = high};
}

Parameter integer(const std::string& name, double low, double high, std::optional<double> step = {}) {
  return {.name = name, .type = Type::integer, .low = low, .high = high, .step = step};
}

Constraint sum(std::vector<Term> terms, Relation relation, double bound) {
  return {"", Linear{std::move(terms), relation, bound}};
}

Constraint forbid(std::vector<Clause> all_of) { return {"", Forbidden{std::move(all_of)}}; }

bool has_point(const Space& space) { return Feasible(space, question_of(space.constraints())).exists().value(); }

std::optional<Solution> nearest_of(const std::vector<Variable>& variables, const std::vector<Row>& rows) {
  Work work(1'000'000);
  const auto found = nearest(variables, rows, work);
  CHECK((found || !work.is_spent()));
  return found;
}

/// a + b + c == 1 in the unit cube.
Space simplex() {
  return Space({real("a", 0, 1), real("b", 0, 1), real("c", 0, 1)}, {sum({{0}, {1}, {2}}, Relation::equal, 1)});
}

}  // namespace

TEST_CASE("the nearest point of a linear program is found", "[space][constraints]") {
  // |x - 0.9| + |y - 0.8| where x + y <= 1: a distance of 0.7 whatever the vertex.
  const std::vector<Variable> two = {{.wanted = 0.9}, {.wanted = 0.8}};
  auto found = nearest_of(two, {{{1, 1}, Relation::at_most, 1}});
  REQUIRE(found);
  CHECK(found->cost == Approx(0.7));
  CHECK(found->x[0] + found->x[1] == Approx(1));
  // 3x + 2y == 1.2 and x >= y: from (0, 0.6) the nearest is (0.24, 0.24).
  found =
      nearest_of({{.wanted = 0}, {.wanted = 0.6}}, {{{3, 2}, Relation::equal, 1.2}, {{-1, 1}, Relation::at_most, 0}});
  REQUIRE(found);
  CHECK(found->x[0] == Approx(0.24));
  CHECK(found->x[1] == Approx(0.24));
  CHECK_FALSE(nearest_of(two, {{{1, 1}, Relation::at_most, 1}, {{1, 1}, Relation::equal, 1.5}}));
}

TEST_CASE("grids are exact: what no multiple reaches is refused at once", "[space][constraints]") {
  const auto grid = [](double high, double step) { return Variable{.high = high, .step = step}; };
  // 2a + 2b == 7 has no whole solution, however many values there are.
  CHECK_FALSE(nearest_of({grid(1e6, 1), grid(1e6, 1)}, {{{2, 2}, Relation::equal, 7}}));
  // 6a + 10b + 15c == 1 with 0 <= a, b, c <= 29 has none (Frobenius number 29), == 30 has.
  const std::vector<Variable> three = {grid(29, 1), grid(29, 1), grid(29, 1)};
  CHECK_FALSE(nearest_of(three, {{{6, 10, 15}, Relation::equal, 29}}));
  CHECK(nearest_of(three, {{{6, 10, 15}, Relation::equal, 30}}));
  // a < b < a + 2 on steps of 2: none.
  CHECK_FALSE(nearest_of({grid(8, 2), grid(8, 2)}, {{{1, -1}, Relation::less, 0}, {{-1, 1}, Relation::less, 2}}));
}

TEST_CASE("whether constraints can hold is decided branch by branch", "[space][constraints]") {
  const Parameter opt{.name = "opt", .type = Type::categorical, .choices = {"sgd", "adam"}};
  Parameter m = real("m", 0, 1);
  m.when = {{0, {Choice{0}}}};
  const std::vector<Parameter> parameters = {opt, m, real("x", 0, 1)};
  const Constraint above = sum({{2, 1}, {1, -1}}, Relation::at_most, -2);  // x + 2 <= m: only where m is not active
  CHECK(has_point(Space(parameters, {above})));
  CHECK_FALSE(has_point(Space(parameters, {above, forbid({{0, {Choice{1}}, {}}})})));
  const auto point = Feasible(Space(parameters, {above}), question_of({above})).nearest({Choice{0}, 0.5, 0.25});
  REQUIRE(point);
  CHECK(*point == Values{Choice{1}, std::monostate(), 0.25});
}

TEST_CASE("a forbidden range is left on the nearer side", "[space][constraints]") {
  const Space space({real("x", 0, 1), integer("n", 1, 10)}, {forbid({{0, {}, {{0.2, 0.6}}}, {1, {}, {{3, 8}}}})});
  const Feasible feasible(space, question_of(space.constraints()));
  CHECK(*feasible.nearest({0.5, std::int64_t(5)}) != Values{0.5, std::int64_t(5)});
  const auto kept = *feasible.nearest({0.4, std::int64_t(5)}, {false, true});
  CHECK(std::get<double>(kept[0]) == Approx(0.2).margin(1e-6));
  CHECK(std::get<double>(kept[0]) < 0.2);
  CHECK(*feasible.nearest({0.4, std::int64_t(9)}) == Values{0.4, std::int64_t(9)});
}

TEST_CASE("points of a simplex are drawn evenly", "[space][constraints]") {
  // Under the uniform law each coordinate has mean 1/3 and P(a > 1/2) = 1/4.
  const Space space = simplex();
  const FeasibleDraw draw(space);
  RandomStream random(3, {"test"});
  double mean = 0;
  int above = 0;
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    const Values point = draw.draw(random);
    REQUIRE(space.contains(point));
    mean += std::get<double>(point[0]) / kDraws;
    above += std::get<double>(point[0]) > 0.5 ? 1 : 0;
  }
  CHECK(mean == Approx(1.0 / 3).margin(0.02));
  CHECK(double(above) / kDraws == Approx(0.25).margin(0.03));
}

TEST_CASE("a millionth of the box is enough to draw from", "[space][constraints]") {
  // x1 < x2 < ... < x6, x6 < 0.25: 0.25^6 / 720 is 3e-7 of the box.
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  for (std::size_t i = 0; i < 6; ++i) {
    parameters.push_back(real("x" + std::to_string(i), 0, 1));
    if (i > 0) constraints.push_back(sum({{i - 1, 1}, {i, -1}}, Relation::less, 0));
  }
  constraints.push_back(sum({{5}}, Relation::less, 0.25));
  const Space space(parameters, constraints);
  const FeasibleDraw draw(space);
  RandomStream random(5, {"test"});
  double mean = 0;  // of the largest: 6/7 of 0.25
  constexpr int kDraws = 1000;
  for (int i = 0; i < kDraws; ++i) {
    const Values point = draw.draw(random);
    REQUIRE(space.contains(point));
    mean += std::get<double>(point[5]) / kDraws;
  }
  CHECK(mean == Approx(0.25 * 6 / 7).margin(0.01));
}

TEST_CASE("points that keep the constraints are counted and numbered", "[space][constraints]") {
  // a < b of 1..10: 45 pairs; the third parameter has 3 values, one of them forbidden with a = 1 (9 pairs).
  const Parameter c{.name = "c", .type = Type::categorical, .choices = {"x", "y", "z"}};
  const Space space(
      {integer("a", 1, 10), integer("b", 1, 10), c},
      {sum({{0, 1}, {1, -1}}, Relation::less, 0), forbid({{0, {std::int64_t(1)}, {}}, {2, {Choice{1}}, {}}})});
  CHECK(space.cardinality() == 45 * 3 - 9);
  const FeasiblePoints points(space);
  std::set<std::string> seen;
  for (std::int64_t i = 0; i < *points.size(); ++i) {
    const Values values = points.at(i);
    CHECK(space.contains(values));
    CHECK(points.number_of(values) == i);
    seen.insert(to_text(space.params(values)));
  }
  CHECK(seen.size() == 126);
  CHECK_FALSE(points.number_of({std::int64_t(2), std::int64_t(1), Choice{0}}));
}

TEST_CASE("sums of steps hold as a person adds them", "[space][constraints]") {
  Parameter a = real("a", 0, 1), b = real("b", 0, 1);
  a.step = b.step = 0.1;
  const Space space({a, b}, {sum({{0}, {1}}, Relation::equal, 0.3)});
  CHECK(space.cardinality() == 4);  // 0 + 0.3, 0.1 + 0.2, …: 0.1 + 0.2 is not 0.3 in binary
  const Space below({a, b}, {sum({{0}, {1}}, Relation::less, 0.3)});
  CHECK_FALSE(below.contains({0.1, 0.2}));
}

TEST_CASE("what takes too much work is said to be undecided, and never claimed", "[space][constraints][limits]") {
  // 12 whole numbers whose sum with large coprime factors is to hit one number: a knapsack that relaxations say nothing
  // of.
  std::vector<Parameter> parameters;
  Linear knapsack{{}, Relation::equal, 89643481};  // of Aardal and Lenstra 2004, cuww4-like: its relaxation is feasible
  const std::vector<double> factors = {12223, 12224, 36674, 61119, 85569};
  for (std::size_t i = 0; i < factors.size(); ++i) {
    parameters.push_back(integer("n" + std::to_string(i), 0, 1e6));
    knapsack.terms.push_back({i, factors[i]});
  }
  const Space space(parameters, {{"", knapsack}});
  const Feasible feasible(space, question_of(space.constraints()));
  CHECK_FALSE(feasible.exists(Feasible::kMostWork / 1000).has_value());
  CHECK_FALSE(feasible.nearest(Values(5, std::int64_t(1000))));
}

TEST_CASE("a strict relation of two values that are given is exact", "[space][constraints]") {
  // 4 - 3 < 1 does not hold, though nothing is left to be moved.
  const Space space({integer("a", 0, 4), integer("b", 1, 4)}, {sum({{0, 1}, {1, -1}}, Relation::less, 1)});
  const FeasibleDraw draw(space);
  RandomStream random(1, {"test"});
  const Values both = {std::int64_t(4), std::int64_t(3)};
  CHECK_FALSE(draw.moved(both, random, {true, true}));
  CHECK_FALSE(draw.completed(both));
  CHECK(draw.moved(both, random, {false, true}) == Values{std::int64_t(3), std::int64_t(3)});
}

TEST_CASE("sums of wide ranges hold up to their bound", "[space][constraints]") {
  // Rounding of what spans a million must not show at a bound of one.
  const Space space({real("a", 0, 1e6), real("b", 0, 1e6)}, {sum({{0}, {1}}, Relation::at_most, 1)});
  const FeasibleDraw draw(space);
  RandomStream random(2, {"test"});
  for (int i = 0; i < 200; ++i) {
    const auto point = draw.moved(uniform_point(space, random), random, {i % 2 == 0, false});
    if (point) CHECK(space.contains(*point));
    CHECK((i % 2 == 0 || point));
    CHECK(space.contains(draw.draw(random)));
  }
}

}  // namespace constraint_test
