// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>

#include "samplers/auto_sampler.hpp"
#include "samplers/gp_sampler.hpp"
#include "support/catch.hpp"
#include "util/json.hpp"

namespace auto_test {

using namespace dlrun;
using namespace dlrun::samplers;
using Catch::Matchers::StartsWith;
using space::Parameter;
using space::Space;

namespace {

Space numbers(int count) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < count; ++i) parameters.push_back({.name = "x" + std::to_string(i)});
  return Space(parameters);
}

double distance(const Space& space, const space::Values& values) {
  double sum = 0;
  for (std::size_t i = 0; i < space.size(); ++i) sum += std::abs(space.to_unit(i, values[i]) - 0.3);
  return sum;
}

void tell(Sampler& sampler, const Space& space, int i, const space::Values& values) {
  sampler.on_start(trial::TrialId(i), values);
  sampler.on_result({trial::TrialId(i), values, distance(space, values), 1});
}

/// Whose turn each of the next trials was.
std::vector<std::string> turns(AutoSampler& sampler, const Space& space, int first, int count) {
  std::vector<std::string> names;
  for (int i = first; i < first + count; ++i) {
    const auto values = *sampler.propose(i);
    const std::string reason = sampler.reason();
    names.push_back(reason.substr(6, reason.find('\'') - 6));  // auto, NAME's turn
    tell(sampler, space, i, values);
  }
  return names;
}

}  // namespace

TEST_CASE("who takes turns depends on the space", "[samplers][auto]") {
  using Names = std::vector<std::string>;
  AutoSampler few(numbers(2), 1);
  CHECK(turns(few, numbers(2), 0, 4) == Names{"gp", "gp", "gp", "tpe"});
  AutoSampler many(numbers(10), 1);
  CHECK(turns(many, numbers(10), 0, 6) == Names{"gp", "gp", "cma_es", "gp", "gp", "cma_es"});
  auto parameters = numbers(12).parameters();
  parameters.push_back({.name = "c", .type = space::Type::categorical, .choices = {1, 2}});
  AutoSampler mixed(Space(parameters), 1);
  CHECK(turns(mixed, Space(parameters), 0, 4) == Names{"gp", "gp", "gp", "tpe"});
}

TEST_CASE("after so many trials the process is not asked any more", "[samplers][auto]") {
  AutoSampler sampler(numbers(2), 1, {.modelled = 12});
  (void)turns(sampler, numbers(2), 0, 12);
  const auto late = turns(sampler, numbers(2), 12, 6);
  CHECK(std::set<std::string>(late.begin(), late.end()) == std::set<std::string>{"tpe", "cma_es"});
}

TEST_CASE("each member is told of the others' trials", "[samplers][auto]") {
  const Space space = numbers(2);
  AutoSampler sampler(space, 1);
  GpSampler gp(space, 1);
  for (int i = 0; i < 20; ++i) {
    const auto values = *sampler.propose(i);
    tell(sampler, space, i, values);
    tell(gp, space, i, values);
  }
  CHECK(sampler.propose(20) == gp.propose(20));
  CHECK_THAT(sampler.reason(), StartsWith("auto, gp's turn: expected improvement"));
}

}  // namespace auto_test
