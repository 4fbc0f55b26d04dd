// SPDX-License-Identifier: Apache-2.0
// What every sampler owes the study, whatever it thinks of (lib/samplers/sampler.hpp).
#include "samplers/sampler.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/spaces.hpp"
#include "util/error.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace samplers_test {

using namespace dlrun;
using namespace dlrun::samplers;
using space::Choice;
using space::Parameter;
using space::Space;
using space::Type;
using space::Values;
using support::categorical;

namespace {

/// Six points, two of them under a condition.
Space finite() {
  return Space({categorical("op", {"sgd", "adam"}), support::under(0, categorical("momentum", {0.5, 0.9})),
                support::integer("depth", 1, 2)});
}

Space continuous() {
  return Space({{.name = "lr", .type = Type::real, .low = 1e-4, .high = 1e-1, .log = true},
                {.name = "width", .type = Type::integer, .low = 1, .high = 1000},
                categorical("op", {"sgd", "adam"})});
}

/// a + b + c == 1, and a choice.
Space simplex() {
  const auto share = [](const std::string& name) { return Parameter{.name = name, .low = 0, .high = 1}; };
  return Space({share("a"), share("b"), share("c"), categorical("op", {"sgd", "adam"})},
               {{"", space::Linear{{{0}, {1}, {2}}, space::Relation::equal, 1}}});
}

/// x0 < x1 < ... < x8: 1 / 9! of the cube, 3e-6.
Space ordered() {
  std::vector<Parameter> parameters;
  std::vector<space::Constraint> constraints;
  for (std::size_t i = 0; i < 9; ++i) {
    parameters.push_back({.name = "x" + std::to_string(i), .low = 0, .high = 1});
    if (i > 0) constraints.push_back({"", space::Linear{{{i - 1, 1}, {i, -1}}, space::Relation::less, 0}});
  }
  return Space(parameters, constraints);
}

struct Case {
  std::string name;
  Space space;
};

/// Every sampler with every space it takes.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string& name : sampler_names()) {
    for (const Space& space : {finite(), continuous()}) {
      try {
        make_sampler(name, space, 7);
        all.push_back({name, space});
      } catch (const Error& fault) {
        CHECK(fault.kind() == ErrorKind::usage);  // a grid has no end there
      }
    }
  }
  return all;
}

/// A study of one trial after another: each proposal is begun, and ends with a value, a failure or not at all.
std::vector<std::string> history(Sampler& sampler, const Space& space, int trials) {
  std::vector<std::string> told;
  for (int i = 0; i < trials; ++i) {
    const auto values = sampler.propose(i);
    if (!values) break;
    told.push_back(to_text(space.params(*values)));
    sampler.on_start(trial::TrialId(i), *values);
    if (i % 5 == 4) continue;
    std::optional<double> objective;
    if (i % 3 != 2) objective = double(i * 37 % 11);
    sampler.on_result({trial::TrialId(i), *values, objective, 1});
  }
  return told;
}

}  // namespace

TEST_CASE("a sampler is called by the name it is made by", "[contract][samplers]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    const auto sampler = make_sampler(c.name, c.space, 7);
    CHECK((sampler->name() == c.name || c.name == "auto"));
  }
}

TEST_CASE("what a sampler proposes lies in the space", "[contract][samplers]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    const auto sampler = make_sampler(c.name, c.space, 7);
    for (int i = 0; i < 60; ++i) {
      const auto values = sampler->propose(i);
      if (!values) break;
      CHECK(c.space.contains(*values));
      sampler->on_start(trial::TrialId(i), *values);
    }
  }
}

TEST_CASE("a sampler that is told the same proposes the same", "[contract][samplers]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    const auto first = make_sampler(c.name, c.space, 7);
    const auto second = make_sampler(c.name, c.space, 7);
    const auto told = history(*first, c.space, 40);
    CHECK(told.size() >= 5);
    CHECK(told == history(*second, c.space, 40));
  }
}

TEST_CASE("asking a sampler changes nothing", "[contract][samplers]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    const auto asked = make_sampler(c.name, c.space, 7);
    for (int i = 0; i < 3; ++i) {
      const auto once = asked->propose(0);
      const auto again = asked->propose(0);
      REQUIRE(once.has_value());
      CHECK(c.space.params(*once) == c.space.params(*again));
    }
    const auto never_asked = make_sampler(c.name, c.space, 7);
    CHECK(history(*asked, c.space, 10) == history(*never_asked, c.space, 10));
  }
}

TEST_CASE("a sampler tries no point of a finite space twice and says when it has tried all", "[contract][samplers]") {
  for (const std::string& name : sampler_names()) {
    INFO(name);
    const auto sampler = make_sampler(name, finite(), 7);
    auto told = history(*sampler, finite(), 100);
    CHECK(told.size() == 6);
    std::sort(told.begin(), told.end());
    CHECK(std::adjacent_find(told.begin(), told.end()) == told.end());
    CHECK_FALSE(sampler->reason().empty());
  }
}

TEST_CASE("a sampler keeps the constraints, however little they leave", "[contract][samplers][constraints]") {
  for (const auto& [name, space] : {std::pair("simplex", simplex()), {"ordered", ordered()}}) {
    for (const std::string& op : sampler_names()) {
      if (op == "grid") continue;
      INFO(op << " on " << name);
      const auto sampler = make_sampler(op, space, 7), again = make_sampler(op, space, 7);
      for (int i = 0; i < 24; ++i) {
        const auto values = sampler->propose(i);
        REQUIRE(values.has_value());
        CHECK(space.contains(*values));
        CHECK(values == again->propose(i));
        for (Sampler* each : {sampler.get(), again.get()}) {
          each->on_start(trial::TrialId(i), *values);
          each->on_result({trial::TrialId(i), *values, double(i * 37 % 11), 1});
        }
      }
    }
  }
}

TEST_CASE("a sampler tries each point that the constraints leave once", "[contract][samplers][constraints]") {
  // n < m of 1..8: 28 pairs; with n = 1 (7 of them) no adam: 28 * 2 - 7.
  const Parameter n{.name = "n", .type = Type::integer, .low = 1, .high = 8};
  Parameter m = n;
  m.name = "m";
  const Space space({categorical("op", {"sgd", "adam"}), n, m},
                    {{"", space::Linear{{{1, 1}, {2, -1}}, space::Relation::less, 0}},
                     {"", space::Forbidden{{{0, {Choice{1}}, {}}, {1, {std::int64_t(1)}, {}}}}}});
  for (const std::string& name : sampler_names()) {
    INFO(name);
    const auto sampler = make_sampler(name, space, 7);
    auto told = history(*sampler, space, 200);
    CHECK(told.size() == 49);
    std::sort(told.begin(), told.end());
    CHECK(std::adjacent_find(told.begin(), told.end()) == told.end());
    CHECK_THAT(sampler->reason(), Contains("49 points"));
  }
}

TEST_CASE("an unknown sampler is refused with the nearest name", "[contract][samplers]") {
  try {
    make_sampler("ranom", finite(), 7);
    FAIL("no error");
  } catch (const Error& fault) {
    CHECK(fault.kind() == ErrorKind::usage);
    CHECK_THAT(fault.hint(), Contains("random"));
  }
}

}  // namespace samplers_test
