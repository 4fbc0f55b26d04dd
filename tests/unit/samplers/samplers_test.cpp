// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "samplers/sampler.hpp"
#include "samplers/tried.hpp"
#include "support/catch.hpp"
#include "support/spaces.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace samplers_test {

using namespace dlrun;
using namespace dlrun::samplers;
using space::Choice;
using space::Parameter;
using space::Space;
using space::Type;
using space::Values;
using support::integer;
using support::under;

namespace {

/// 8 points: 2 for adam, 6 for sgd with one of three momenta.
Space conditional() {
  return Space({support::categorical("opt", {"sgd", "adam"}), under(0, integer("mom", 0, 2)), integer("width", 1, 2)});
}

/// Proposals until the sampler has no more, at most `limit`.
std::vector<std::string> run(Sampler& sampler, const Space& space, int limit) {
  std::vector<std::string> texts;
  for (int i = 0; i < limit; ++i) {
    const auto values = sampler.propose(i);
    if (!values) break;
    REQUIRE(space.contains(*values));
    sampler.on_start(trial::TrialId(i), *values);
    texts.push_back(to_text(space.params(*values)));
  }
  return texts;
}

}  // namespace

TEST_CASE("every sampler tries each point of a finite space once and then says so", "[samplers]") {
  for (const std::string& name : sampler_names()) {
    const auto sampler = make_sampler(name, conditional(), 7);
    CHECK(sampler->name() == name);
    const auto texts = run(*sampler, conditional(), 100);
    CHECK(texts.size() == 8);
    CHECK(std::set<std::string>(texts.begin(), texts.end()).size() == 8);
    CHECK_THAT(sampler->reason(), Contains("all 8 points"));
  }
}

TEST_CASE("a grid varies its last parameter fastest", "[samplers][grid]") {
  const auto texts = run(*make_sampler("grid", conditional(), 7), conditional(), 3);
  CHECK(texts == std::vector<std::string>{R"({"mom":0,"opt":"sgd","width":1})", R"({"mom":0,"opt":"sgd","width":2})",
                                          R"({"mom":1,"opt":"sgd","width":1})"});
}

TEST_CASE("a grid over a continuous parameter is refused", "[samplers][grid]") {
  CHECK_THROWS_WITH(make_sampler("grid", Space({integer("n", 0, 1), {.name = "lr"}}), 0),
                    Contains("'lr' is continuous"));
}

TEST_CASE("a random proposal is a function of seed, decision number and what was tried", "[samplers][random]") {
  const Space space({{.name = "lr", .low = 1e-4, .high = 1, .log = true}});
  const auto a = make_sampler("random", space, 7), b = make_sampler("random", space, 7);
  (void)run(*a, space, 50);
  CHECK(a->propose(50) == b->propose(50));
  CHECK(a->propose(50) != a->propose(51));
  CHECK(a->propose(50) != make_sampler("random", space, 8)->propose(50));
}

TEST_CASE("the values a seed draws are part of the format", "[samplers][random][golden]") {
  const auto sampler = make_sampler("random", conditional(), 7);
  std::string all;
  for (const auto& text : run(*sampler, conditional(), 4)) all += text + "\n";
  CHECK(all == R"({"mom":1,"opt":"sgd","width":2}
{"mom":2,"opt":"sgd","width":2}
{"opt":"adam","width":1}
{"opt":"adam","width":2}
)");
}

TEST_CASE("random search uses up a space of 100,000 unequal points", "[samplers][random]") {
  Parameter n = integer("n", 1, 50'000);
  n.log = true;  // large values are drawn once in a million
  const Space space({n, integer("k", 0, 1)});
  const auto sampler = make_sampler("random", space, 1);
  CHECK(run(*sampler, space, 200'000).size() == 100'000);
}

TEST_CASE("a discrete corner of an infinite space is tried once while there is anything else", "[samplers][random]") {
  Parameter mom{.name = "mom"};
  mom.when = {{0, {Choice{0}}}};
  const Space space({{.name = "opt", .type = Type::categorical, .choices = {"sgd", "adam"}}, mom});
  const auto texts = run(*make_sampler("random", space, 3), space, 200);
  CHECK(std::set<std::string>(texts.begin(), texts.end()).size() == 200);
}

TEST_CASE("an unknown sampler gets the nearest name", "[samplers][errors]") {
  try {
    (void)make_sampler("gird", conditional(), 0);
    FAIL("must throw");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::usage);
    CHECK(e.hint() == "did you mean 'grid'?");
  }
}

TEST_CASE("the next free number does not depend on the order of what was tried", "[samplers][tried]") {
  Tried up, down;
  for (int i = 0; i < 100; i += 2) {
    up.insert(i);
    down.insert(98 - i);
    (void)up.next_free(0);
  }
  for (int i = 0; i < 100; ++i) CHECK(up.next_free(i) == i + (i % 2 == 0));
  for (int i = 0; i < 100; i += 2) CHECK(up.next_free(i) == down.next_free(i));
}

}  // namespace samplers_test
