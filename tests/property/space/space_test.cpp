// SPDX-License-Identifier: Apache-2.0
// Laws of the space: values survive the way to unit coordinates and to text, and points are numbered without gaps.
#include <cmath>
#include <set>

#include "space/points.hpp"
#include "support/property.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace space_test {

using namespace dlrun;
using namespace dlrun::space;

namespace {

rc::Gen<double> whole(int low, int high) {
  return rc::gen::map(rc::gen::inRange(low, high), [](int x) { return double(x); });
}

Parameter finite_domain() {
  Parameter p{.name = "p"};
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      p.type = Type::integer;
      p.low = *whole(-1000, 1000);
      p.high = p.low + *whole(0, 100000);
      if (*rc::gen::arbitrary<bool>()) p.step = *whole(1, 50);
      break;
    case 1:
      p.type = Type::integer;
      p.log = true;
      p.low = *whole(1, 1000);
      p.high = p.low * *whole(1, 1000000);
      break;
    case 2:
      p.low = *whole(-1000, 1000) / *rc::gen::element(1.0, 3.0, 7.0, 1000.0);
      p.step = *whole(1, 50) / *rc::gen::element(1.0, 3.0, 10.0, 1024.0);
      p.high = p.low + *p.step * *whole(0, 5000);
      break;
    default:
      p.type = Type::ordinal;
      for (int i = *rc::gen::inRange(1, 20); i > 0; --i) p.choices.emplace_back(i * 0.1);
  }
  return p;
}

/// Up to six finite parameters, each perhaps under conditions on earlier ones.
Space finite_space() {
  std::vector<Parameter> parameters;
  for (int i = *rc::gen::inRange(0, 6); i >= 0; --i) {
    Parameter p{.name = "p" + std::to_string(parameters.size()), .type = Type::integer, .low = 0, .high = *whole(0, 4)};
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      if (*rc::gen::inRange(0, 3) > 0) continue;
      const auto v = *rc::gen::inRange<std::int64_t>(0, std::int64_t(parameters[k].high) + 1);
      p.when.push_back({k, {v}});
    }
    parameters.push_back(p);
  }
  return Space(parameters);
}

/// Every assignment of values or none, those that are points: the definition, slowly.
std::set<std::string> all_points(const Space& space) {
  std::vector<Values> sofar{{}};
  for (std::size_t i = 0; i < space.size(); ++i) {
    std::vector<Values> next;
    for (Values values : sofar) {
      values.resize(space.size());
      const std::int64_t count = space.is_active(i, values) ? *space.count(i) : 0;
      if (count == 0) next.push_back(values);
      for (std::int64_t k = 0; k < count; ++k) {
        values[i] = space.value_at(i, k);
        next.push_back(values);
      }
    }
    sofar = next;
  }
  std::set<std::string> texts;
  for (const Values& values : sofar) texts.insert(to_text(space.params(values)));
  return texts;
}

}  // namespace

TEST_CASE("each value of a finite domain comes back from its unit coordinate", "[space][property]") {
  test::check_property([] {
    const Space space({finite_domain()});
    const std::int64_t k = *rc::gen::inRange<std::int64_t>(0, *space.count(0));
    for (const std::int64_t i : {k, std::int64_t(0), *space.count(0) - 1}) {
      const Value v = space.value_at(0, i);
      RC_ASSERT(space.contains(0, v));
      RC_ASSERT(space.index_of(0, v) == i);
      RC_ASSERT(space.from_unit(0, space.to_unit(0, v)) == v);
    }
  });
}

TEST_CASE("each value comes back from its JSON text bit by bit", "[space][property]") {
  test::check_property([](std::uint64_t seed) {
    RandomStream random(seed, {"test"});
    Parameter continuous{
        .name = "x", .low = *rc::gen::element(1e-300, 1e-4, 0.1, 3.0), .log = *rc::gen::arbitrary<bool>()};
    continuous.high = continuous.low * *whole(1, 100000);
    const Space space({finite_domain(), [&] { return continuous; }()});
    for (std::size_t i = 0; i < 2; ++i) {
      const Value v = space.from_unit(i, random.uniform());
      RC_ASSERT(space.contains(i, v));
      RC_ASSERT(space.from_json(i, parse_json(to_text(space.to_json(i, v)), "v")) == v);
    }
  });
}

TEST_CASE("a continuous value comes back from its unit coordinate up to rounding", "[space][property]") {
  test::check_property([](std::uint64_t seed) {
    RandomStream random(seed, {"test"});
    Parameter p{.name = "x", .low = *whole(1, 1000) / 7, .log = *rc::gen::arbitrary<bool>()};
    p.high = p.low + *whole(1, 1000000);
    const Space space({p});
    const double v = std::get<double>(space.from_unit(0, random.uniform()));
    const double back = std::get<double>(space.from_unit(0, space.to_unit(0, v)));
    RC_ASSERT(std::abs(back - v) <= 1e-14 * p.high);
  });
}

TEST_CASE("points are numbered from 0, each once, in spaces with any conditions", "[space][property]") {
  test::check_property([] {
    const Space space = finite_space();
    const Points points(space);
    const auto all = all_points(space);
    RC_ASSERT(points.size() == std::int64_t(all.size()));
    std::set<std::string> seen;
    for (std::int64_t k = 0; k < *points.size(); ++k) {
      const Values values = points.at(k);
      RC_ASSERT(points.number_of(values) == k);
      seen.insert(to_text(space.params(values)));
    }
    RC_ASSERT(seen == all);
  });
}

}  // namespace space_test
