// SPDX-License-Identifier: Apache-2.0
// What samplers take from the trials of earlier studies.
#include <cmath>

#include "samplers/sampler.hpp"
#include "support/catch.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace learn_test {

using namespace dlrun;
using namespace dlrun::samplers;
using space::Space;

namespace {

Space plane() { return Space({{.name = "x"}, {.name = "y"}}); }

/// 40 random points of a bowl whose least value lies at (0.7, 0.2).
std::vector<Observation> bowl() {
  RandomStream random(5, {"bowl"});
  std::vector<Observation> trials;
  for (int i = 0; i < 40; ++i) {
    const double x = random.uniform(), y = random.uniform();
    trials.push_back({{}, {x, y}, std::hypot(x - 0.7, y - 0.2), 1});
  }
  return trials;
}

double distance(const space::Values& values) {
  return std::hypot(std::get<double>(values[0]) - 0.7, std::get<double>(values[1]) - 0.2);
}

}  // namespace

TEST_CASE("a sampler that learned begins where the earlier study was good", "[samplers][learn]") {
  for (const std::string name : {"tpe", "tpe_univariate", "cma_es", "gp", "auto"}) {
    INFO(name);
    double mean = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto sampler = make_sampler(name, plane(), seed);
      sampler->learn(bowl());
      mean += distance(*sampler->propose(0)) / 20;
    }
    CHECK(mean < 0.25);  // a uniform point lies 0.52 away in the mean
  }
}

TEST_CASE("what was learned is not tried, so a finite space is used up without it", "[samplers][learn]") {
  const Space four({{.name = "c", .type = space::Type::categorical, .choices = {"a", "b", "c", "d"}}});
  for (const std::string& name : sampler_names_that_learn()) {
    INFO(name);
    const auto sampler = make_sampler(name, four, 1);
    std::vector<Observation> trials;
    for (std::uint32_t k = 0; k < 4; ++k) trials.push_back({{}, {space::Choice{k}}, double(k), 1});
    sampler->learn(trials);
    int proposed = 0;
    for (auto values = sampler->propose(0); values; values = sampler->propose(proposed)) {
      sampler->on_start(trial::TrialId(proposed), *values);
      sampler->on_result({trial::TrialId(proposed), *values, 1.0, 1});
      ++proposed;
    }
    CHECK(proposed == 4);
  }
}

TEST_CASE("trials that failed, were paused or lack a parameter can be learned from", "[samplers][learn]") {
  for (const std::string& name : sampler_names_that_learn()) {
    INFO(name);
    const auto sampler = make_sampler(name, plane(), 1);
    auto trials = bowl();
    trials[0].objective.reset();
    trials[1].is_whole = false;
    for (std::size_t i = 2; i < trials.size(); i += 2) trials[i].values[1] = std::monostate();
    sampler->learn(trials);
    sampler->learn({});
    for (int i = 0; i < 12; ++i) {
      const auto values = *sampler->propose(i);
      CHECK(plane().contains(values));
      sampler->on_start(trial::TrialId(i), values);
      sampler->on_result({trial::TrialId(i), values, distance(values), 1});
    }
  }
}

TEST_CASE("only failures teach a sampler no place", "[samplers][learn]") {
  for (const std::string& name : sampler_names_that_learn()) {
    INFO(name);
    const auto sampler = make_sampler(name, plane(), 1);
    auto trials = bowl();
    for (Observation& trial : trials) trial.objective.reset();
    sampler->learn(trials);
    CHECK(plane().contains(*sampler->propose(0)));
  }
}

}  // namespace learn_test
