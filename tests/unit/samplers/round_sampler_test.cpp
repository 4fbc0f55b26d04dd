// SPDX-License-Identifier: Apache-2.0
// Rounds of an ablation: what a round has depends on what the one before measured.
#include "samplers/round_sampler.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "unit/samplers/proposed_cells.hpp"
#include "util/json.hpp"

namespace round_sampler_test {

using namespace dlrun;
using samplers::Observation;
using samplers::RoundSampler;
using test::text_of;

namespace {

constexpr int kReplicates = 2;

/// Costs without a, b, both: b is missed least, and a is worth much.
constexpr double kCosts[] = {10, 15, 9, 16};

space::Space cells() {
  space::Parameter variant{.name = "variant", .type = space::Type::categorical, .choices = {"all", "a", "b", "ab"}};
  return space::Space({{.name = "replicate", .type = space::Type::integer, .low = 1, .high = kReplicates}, variant});
}

RoundSampler elimination() {
  return {cells(), {0, 1, {.components = 2, .tolerance = 0, .variants = {{0, 0}, {1, 1}, {2, 2}, {3, 3}}}}};
}

std::vector<Observation> proposed_by(RoundSampler& sampler, std::int64_t& number) {
  return test::proposed_by(sampler, number, [](std::int64_t, std::int64_t variant) { return kCosts[variant]; });
}

}  // namespace

TEST_CASE("a round waits for all of its cells, whatever the order they come in", "[samplers][ablation]") {
  for (const bool is_reversed : {false, true}) {
    RoundSampler sampler = elimination();
    std::int64_t number = 0;
    auto first = proposed_by(sampler, number);
    CHECK(text_of(first) == "1:0 1:1 1:2 2:0 2:1 2:2 ");
    if (is_reversed) std::reverse(first.begin(), first.end());
    for (const Observation& cell : first) {
      CHECK_FALSE(sampler.propose(number));
      CHECK(sampler.reason() == "round 1 waits for its cells");
      sampler.on_result(cell);
    }
    const auto second = proposed_by(sampler, number);  // without b, and now a is tried too
    CHECK(text_of(second) == "1:3 2:3 ");
    for (const Observation& cell : second) sampler.on_result(cell);
    CHECK_FALSE(sampler.propose(number));
    CHECK(sampler.reason().starts_with("over after 1 step: "));
  }
}

TEST_CASE("a cell whose trial may still get further is not seen", "[samplers][ablation]") {
  RoundSampler sampler = elimination();
  std::int64_t number = 0;
  for (Observation cell : proposed_by(sampler, number)) {
    cell.is_whole = false;
    sampler.on_result(cell);
  }
  CHECK_FALSE(sampler.propose(number));
  CHECK(sampler.reason() == "round 1 waits for its cells");
}

}  // namespace round_sampler_test
