// SPDX-License-Identifier: Apache-2.0
// Cells of a race: which are asked for follows from what was measured, in whatever order it came.
#include "samplers/race_sampler.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "unit/samplers/proposed_cells.hpp"
#include "util/json.hpp"

namespace race_sampler_test {

using namespace dlrun;
using samplers::Observation;
using samplers::RaceSampler;
using test::text_of;

namespace {

constexpr int kReplicates = 4;

space::Space cells() {
  space::Parameter variant{.name = "variant", .type = space::Type::categorical, .choices = {"a", "b", "c"}};
  return space::Space({{.name = "replicate", .type = space::Type::integer, .low = 1, .high = kReplicates}, variant});
}

/// By replicate and variant: c is far behind, b is a little better than a.
double cost(std::int64_t replicate, std::int64_t variant) {
  constexpr double kCosts[] = {1.0, 0.9, 5.0};
  return kCosts[variant] + 0.01 * double((replicate * (variant + 2)) % 5);
}

RaceSampler sampler() { return {cells(), {0, 1, {kReplicates, std::nullopt, true, {0.01, 0.01, 1e-6}}}}; }

std::vector<Observation> proposed_by(RaceSampler& race, std::int64_t& number) {
  return test::proposed_by(race, number, cost);
}

}  // namespace

TEST_CASE("a race asks for one replicate of all that are left, in whatever order they come", "[samplers][race]") {
  for (const bool is_reversed : {false, true}) {
    RaceSampler race = sampler();
    std::int64_t number = 0;
    std::string all;
    for (auto round = proposed_by(race, number); !round.empty(); round = proposed_by(race, number)) {
      all += text_of(round) + "| ";
      if (is_reversed) std::reverse(round.begin(), round.end());
      for (const Observation& cell : round) race.on_result(cell);
    }
    CHECK(all == "1:0 1:1 1:2 | 2:0 2:1 2:2 | 3:0 3:1 | 4:0 4:1 | ");
    CHECK(race.reason() == "the race is over after 4 replicates: all replicates are run");
    const std::vector<trial::TrialId> wins{trial::TrialId(1), trial::TrialId(4), trial::TrialId(7), trial::TrialId(9)};
    CHECK(race.chosen_trials() == wins);  // b's
  }
}

TEST_CASE("a race waits for a whole replicate", "[samplers][race]") {
  RaceSampler race = sampler();
  std::int64_t number = 0;
  const auto first = proposed_by(race, number);
  CHECK(race.chosen_trials().empty());
  race.on_result(first[0]);
  race.on_result(first[1]);
  CHECK_FALSE(race.propose(number));
  CHECK(race.reason() == "replicate 1 is under way: 3 of 3 variants are in the race");
  race.on_result({first[2].trial, first[2].values, std::nullopt});  // it failed
  CHECK(text_of(proposed_by(race, number)) == "2:0 2:1 ");
}

}  // namespace race_sampler_test
