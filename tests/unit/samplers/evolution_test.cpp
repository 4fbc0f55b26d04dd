// SPDX-License-Identifier: Apache-2.0
// Regularized evolution: who is alive, who becomes a parent, and how a child differs, by numbers worked out by hand.
#include "samplers/evolution_sampler.hpp"

#include <map>

#include "support/catch.hpp"
#include "support/spaces.hpp"

namespace evolution_test {

using namespace dlrun;
using namespace dlrun::samplers;
using support::categorical;
using trial::TrialId;

namespace {

/// A trial at this choice of the first parameter and the first of all others.
space::Values at(const space::Space& space, std::uint32_t choice) {
  space::Values values(space.size(), space::Choice{0});
  values[0] = space::Choice{choice};
  return values;
}

void run_trial(EvolutionSampler& sampler, std::int64_t number, const space::Values& values,
               std::optional<double> objective) {
  sampler.on_start(TrialId(number), values);
  sampler.on_result({TrialId(number), values, objective, 1});
}

/// "trial 3 with another x0; …" to 3.
std::int64_t parent_of(EvolutionSampler& sampler, std::int64_t number) {
  REQUIRE(sampler.propose(number));
  return std::stoll(sampler.reason().substr(std::string("trial ").size()));
}

/// Shares of the parents of 4,000 children.
std::map<std::int64_t, double> parents(EvolutionSampler& sampler) {
  std::map<std::int64_t, double> shares;
  for (int i = 0; i < 4000; ++i) shares[parent_of(sampler, 100 + i)] += 1.0 / 4000;
  return shares;
}

const space::Space& wide() {
  static const space::Space space({categorical("a", 1000), categorical("b", 1000)});
  return space;
}

}  // namespace

TEST_CASE("the parent is the best of a sample of those that are alive", "[samplers][evolution]") {
  EvolutionSampler sampler(wide(), 3, {.population = 4, .sample = 2});
  const double objectives[] = {0.1, 3, 1, 4, 2};  // the first trial is the best, and dead
  for (int i = 0; i < 5; ++i) run_trial(sampler, i, at(wide(), std::uint32_t(i)), objectives[i]);
  const auto shares = parents(sampler);
  // The best is in 7 of the 16 pairs drawn from 1, 2, 3 and 4, the second best wins 5, the others 3 and 1.
  REQUIRE(shares.size() == 4);
  CHECK(shares.at(2) == Approx(7.0 / 16).margin(0.03));
  CHECK(shares.at(4) == Approx(5.0 / 16).margin(0.03));
  CHECK(shares.at(1) == Approx(3.0 / 16).margin(0.03));
  CHECK(shares.at(3) == Approx(1.0 / 16).margin(0.03));
}

TEST_CASE("a child differs from its parent in one parameter, and any is as likely", "[samplers][evolution]") {
  EvolutionSampler sampler(wide(), 3, {.population = 1, .sample = 1});
  run_trial(sampler, 0, at(wide(), 7), 1);
  int first = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto child = *sampler.propose(i);
    const bool is_first = child[0] != at(wide(), 7)[0], is_second = child[1] != at(wide(), 7)[1];
    REQUIRE(is_first != is_second);
    first += is_first ? 1 : 0;
  }
  CHECK(first / 2000.0 == Approx(0.5).margin(0.04));
}

TEST_CASE("a choice becomes any other choice, each as likely", "[samplers][evolution]") {
  const space::Space space({categorical("a", 4), {.name = "x", .low = 0, .high = 1}});
  EvolutionSampler sampler(space, 3, {.population = 1, .sample = 1});
  run_trial(sampler, 0, {space::Choice{1}, 0.5}, 1);
  std::map<std::uint32_t, int> choices;
  for (int i = 0; i < 6000; ++i) ++choices[std::get<space::Choice>((*sampler.propose(i))[0]).index];
  CHECK(choices[1] / 6000.0 == Approx(0.5).margin(0.03));  // the number moved
  for (const std::uint32_t other : {0u, 2u, 3u}) CHECK(choices[other] / 6000.0 == Approx(1.0 / 6).margin(0.02));
}

TEST_CASE("a number moves by polynomial mutation, most often a little", "[samplers][evolution]") {
  EvolutionSampler sampler(support::cube(1), 3, {.population = 1, .sample = 1, .nudge = 5});
  run_trial(sampler, 0, {0.5}, 1);
  double sum = 0;
  for (int i = 0; i < 4000; ++i) sum += std::abs(std::get<double>((*sampler.propose(i))[0]) - 0.5);
  // A change is 1 - (v + (1 - v) / 2^6)^(1/6) for a v drawn from [0, 1): in the mean 1 - 6/7 * 64/63 * (1 - 2^-7).
  CHECK(sum / 4000 == Approx(0.13605).margin(0.006));
}

TEST_CASE("failed trials never join, and a trial joins once", "[samplers][evolution]") {
  EvolutionSampler sampler(wide(), 3, {.population = 2, .sample = 1});
  run_trial(sampler, 0, at(wide(), 0), 1);
  run_trial(sampler, 1, at(wide(), 1), std::nullopt);
  sampler.on_result({TrialId(0), at(wide(), 0), 0.5, 2});  // its next piece
  REQUIRE(sampler.propose(2));
  CHECK(sampler.reason() == "quasi-random: 1 of the first 2 trials have a value");
  run_trial(sampler, 2, at(wide(), 2), 3);
  const auto shares = parents(sampler);
  CHECK(shares.size() == 2);
  CHECK(shares.contains(0));
  CHECK(shares.contains(2));
}

TEST_CASE("what is not active in the parent is drawn from its domain", "[samplers][evolution]") {
  const space::Space space(
      {categorical("op", {"sgd", "adam"}), support::under(1, space::Parameter{.name = "beta", .low = 0, .high = 1})});
  EvolutionSampler sampler(space, 3, {.population = 1, .sample = 1});
  run_trial(sampler, 0, {space::Choice{0}, std::monostate()}, 1);
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto child = *sampler.propose(i);
    REQUIRE(std::get<space::Choice>(child[0]).index == 1);  // the one parameter that is active
    sum += std::get<double>(child[1]);
  }
  CHECK(sum / 1000 == Approx(0.5).margin(0.03));
}

TEST_CASE("the reason is of the child that is proposed", "[samplers][evolution]") {
  const space::Space space({categorical("a", 3), categorical("b", 3), categorical("c", 3)});
  const std::map<std::string, std::size_t> places = {{"a", 0}, {"b", 1}, {"c", 2}};
  EvolutionSampler sampler(space, 3, {.population = 2, .sample = 1});
  std::vector<space::Values> trials;
  int random = 0;
  for (int i = 0; i < 27; ++i) {
    trials.push_back(*sampler.propose(i));
    const std::string reason = sampler.reason();
    random += reason == "random: all children drawn from the newest 2 were tried" ? 1 : 0;
    if (reason.starts_with("trial ")) {
      INFO(i << ": " << reason);
      space::Values parent = trials.at(std::stoul(reason.substr(6)));
      const std::size_t other = places.at(reason.substr(reason.find("another ") + 8, 1));
      CHECK(parent[other] != trials.back()[other]);
      parent[other] = trials.back()[other];
      CHECK(parent == trials.back());
    }
    run_trial(sampler, i, trials.back(), (7 * i) % 11);
  }
  CHECK(random > 0);
}

}  // namespace evolution_test
