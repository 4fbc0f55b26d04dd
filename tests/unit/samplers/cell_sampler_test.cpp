// SPDX-License-Identifier: Apache-2.0
// Replicates of an ablation: as many as each variant's answer needs.
#include "samplers/cell_sampler.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "util/json.hpp"

namespace cell_sampler_test {

using namespace dlrun;
using samplers::CellSampler;
using samplers::Observation;

namespace {

constexpr std::size_t kVariants = 4;

/// baseline, a part worth 10, one worth nothing, and one that is better left out; noise by replicate.
double cost_of(std::size_t variant, std::int64_t replicate) {
  constexpr double kWorth[] = {0, 10, 0, -10};
  constexpr double kNoise[] = {0.3, -0.2, 0.5, -0.6, 0.1, 0.4, -0.3, 0.2};
  return 50 + kWorth[variant] + kNoise[(std::size_t(replicate) * 3 + variant) % 8];
}

space::Space cells() {
  space::Parameter variant{.name = "variant", .type = space::Type::categorical, .choices = {"baseline", "a", "b", "c"}};
  return space::Space({{.name = "replicate", .type = space::Type::integer, .low = 1, .high = 8}, variant});
}

samplers::CellOptions options(double rope = 0) {
  statistics::AnalysisOptions analysis;
  analysis.rope = rope;
  analysis.looks = {{4, 6, 8}, statistics::Boundary::obrien_fleming};
  return {0, 1, statistics::sequential_rules(analysis, int(kVariants) - 1)};
}

struct Cell {
  std::int64_t replicate = 0;
  std::size_t variant = 0;
};

Cell cell_of(const space::Values& values) {
  return {std::get<std::int64_t>(values[0]), std::get<space::Choice>(values[1]).index};
}

/// Plays it to its end; results become visible in groups of so many, in either order.
std::vector<int> replicates_of(CellSampler& sampler, std::size_t at_once, bool is_reversed) {
  std::vector<int> counts(kVariants, 0);
  std::vector<Observation> hidden;
  const auto reveal = [&] {
    if (is_reversed) std::reverse(hidden.begin(), hidden.end());
    for (const Observation& seen : hidden) sampler.on_result(seen);
    hidden.clear();
  };
  for (std::int64_t number = 0;; ++number) {
    const auto values = sampler.propose(number);
    if (!values && hidden.empty()) return counts;
    if (!values || hidden.size() == at_once) {
      reveal();
      continue;
    }
    const Cell cell = cell_of(*values);
    ++counts[cell.variant];
    sampler.on_start(trial::TrialId(number), *values);
    hidden.push_back({trial::TrialId(number), *values, cost_of(cell.variant, cell.replicate)});
  }
}

}  // namespace

TEST_CASE("cells come replicate by replicate, up to the first look", "[samplers][cells]") {
  CellSampler sampler(cells(), options());
  for (std::int64_t i = 0; i < 16; ++i) {
    const auto values = sampler.propose(i);
    REQUIRE(values);
    CHECK(cell_of(*values).replicate == 1 + i / 4);
    CHECK(cell_of(*values).variant == std::size_t(i % 4));
    sampler.on_start(trial::TrialId(i), *values);
  }
  CHECK_FALSE(sampler.propose(16));
  CHECK(sampler.reason() == "3 of 3 variants wait for their next look");
}

TEST_CASE("a settled variant gets no more, the baseline as many as any", "[samplers][cells]") {
  const auto at_once = GENERATE(1, 3, 16);
  const bool is_reversed = GENERATE(false, true);
  CellSampler sampler(cells(), options());
  // Effects of 10 at a noise of 0.4 are settled at the first look, an effect of nothing never.
  CHECK(replicates_of(sampler, std::size_t(at_once), is_reversed) == std::vector<int>{8, 4, 8, 4});
  CHECK(sampler.reason() == "2 of 3 variants settled, 1 open after 8 replicates");
}

TEST_CASE("what is negligible is settled too, and then nothing is open", "[samplers][cells]") {
  CellSampler sampler(cells(), options(5));
  CHECK(replicates_of(sampler, 16, false) == std::vector<int>{4, 4, 4, 4});
  CHECK(sampler.reason() == "3 of 3 variants settled, 0 open after 8 replicates");
}

TEST_CASE("a variant that waits holds no other up", "[samplers][cells]") {
  CellSampler sampler(cells(), options());
  std::vector<space::Values> first;
  for (std::int64_t i = 0; i < 16; ++i) {
    first.push_back(*sampler.propose(i));
    sampler.on_start(trial::TrialId(i), first.back());
  }
  for (const auto& values : first) {  // all but one cell of variant a
    const Cell cell = cell_of(values);
    if (cell.variant == 1 && cell.replicate == 2) continue;
    sampler.on_result({trial::TrialId(0), values, cost_of(cell.variant, cell.replicate)});
  }
  const auto next = sampler.propose(16);  // b is open after its look, so the baseline goes on
  REQUIRE(next);
  CHECK(cell_of(*next).replicate == 5);
  CHECK(cell_of(*next).variant == 0);
}

TEST_CASE("failed cells count as decided, and give way to a later attempt", "[samplers][cells]") {
  CellSampler sampler(cells(), options());
  std::vector<space::Values> first;
  for (std::int64_t i = 0; i < 16; ++i) {
    first.push_back(*sampler.propose(i));
    sampler.on_start(trial::TrialId(i), first.back());
    const Cell cell = cell_of(first.back());
    std::optional<double> cost = cost_of(cell.variant, cell.replicate);
    if (cell.variant == 1 && cell.replicate > 2) cost.reset();  // two of four: nothing is said of it
    sampler.on_result({trial::TrialId(i), first.back(), cost});
  }
  CHECK(cell_of(*sampler.propose(16)).replicate == 5);
  for (const auto& values : first) {
    const Cell cell = cell_of(values);
    if (cell.variant == 1) sampler.on_result({trial::TrialId(0), values, cost_of(1, cell.replicate)});
  }
  CHECK(replicates_of(sampler, 1, false) == std::vector<int>{4, 0, 4, 0});
}

TEST_CASE("where variants begin with the baseline's weights they wait for it, and are lost with it",
          "[samplers][cells]") {
  samplers::CellOptions after = options();
  after.after_baseline = true;
  CellSampler sampler(cells(), after);
  std::vector<space::Values> base;
  for (std::int64_t i = 0; i < 4; ++i) {
    base.push_back(*sampler.propose(i));
    CHECK(cell_of(base.back()).variant == 0);
    sampler.on_start(trial::TrialId(i), base.back());
  }
  CHECK_FALSE(sampler.propose(4));
  sampler.on_result({trial::TrialId(1), base[1], cost_of(0, 2)});
  sampler.on_result({trial::TrialId(2), base[2], std::nullopt});
  CHECK(cell_of(*sampler.propose(4)).replicate == 2);
  CHECK(cell_of(*sampler.propose(4)).variant == 1);
  sampler.on_result({trial::TrialId(0), base[0], cost_of(0, 1)});
  sampler.on_result({trial::TrialId(3), base[3], cost_of(0, 4)});
  // One of four lost is too much to settle anything, one of six is not.
  CHECK(replicates_of(sampler, 1, false) == std::vector<int>{4, 5, 7, 5});
}

}  // namespace cell_sampler_test
