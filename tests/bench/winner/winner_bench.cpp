// SPDX-License-Identifier: Apache-2.0
// Bias of the value that is reported for the winner of simulated searches, in points (hundredths), as lines
// "name bias reach raw covered": mean of the reported value less the true one, the reach of its 95 % interval over
// searches, the bias of the highest measured value, and the share of searches whose interval holds the true value.
// Searches whose best five trials race, as lines "race.name bias reach raw covered gain reach_of_gain": the same for
// the value by a test split, and what the winner is truly better than the highest measured value of a search of as many
// runs.
//   winner_bench SEARCHES
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "statistics/race.hpp"
#include "statistics/student.hpp"
#include "statistics/summary.hpp"
#include "statistics/winner.hpp"
#include "util/random.hpp"

using namespace dlrun;
using statistics::Noise;
using statistics::Shrunken;

namespace {

using Values = std::vector<double>;

/// How the true values of a search's trials are spread, below 0.95.
enum class Shape { normal, skewed, diverging, plateau, leader };
constexpr std::pair<Shape, const char*> kShapes[] = {{Shape::normal, "normal"},
                                                     {Shape::skewed, "skewed"},
                                                     {Shape::diverging, "diverging"},
                                                     {Shape::plateau, "plateau"},
                                                     {Shape::leader, "leader"}};

double exponential(RandomStream& random) { return -std::log(1 - random.uniform()); }

double true_value(Shape shape, std::size_t trial, RandomStream& random) {
  switch (shape) {
    case Shape::normal: return 0.9 + 0.02 * std::clamp(random.normal(), -4.0, 4.0);
    case Shape::skewed: return std::max(0.5, 0.95 - 0.04 * exponential(random));
    case Shape::diverging:
      return random.uniform() < 0.3 ? 0.1 + 0.5 * random.uniform() : true_value(Shape::skewed, 0, random);
    case Shape::plateau: return 0.94 + 0.005 * random.uniform();
    case Shape::leader: return trial == 0 ? 0.95 : 0.92 + 0.005 * random.normal();
  }
  return 0;
}

struct Setting {
  Shape shape;
  int trials;
  double noise = 0;  ///< standard deviation of a value's own luck
  int members = 0;   ///< 0: the luck is known
};

struct Outcome {
  Shrunken found;
  double raw;
  double truth;
};

std::size_t best_of(const Values& values) {
  return std::size_t(std::max_element(values.begin(), values.end()) - values.begin());
}

Values true_values(const Setting& setting, RandomStream& random) {
  Values all;
  for (int i = 0; i < setting.trials; ++i) all.push_back(true_value(setting.shape, std::size_t(i), random));
  return all;
}

Outcome known_noise(const Setting& setting, RandomStream& random) {
  const Values truth = true_values(setting, random);
  const double shared = setting.noise * random.normal();  // as much as the own luck
  Values measured;
  for (const double value : truth) measured.push_back(value + shared + setting.noise * random.normal());
  const std::size_t best = best_of(measured);
  return {statistics::shrunken_best(measured, {setting.noise, setting.noise}), measured[best], truth[best]};
}

Outcome with_members(const Setting& setting, RandomStream& random) {
  const Values truth = true_values(setting, random);
  const auto of_one = setting.noise * std::sqrt(setting.members);
  Values shared(std::size_t(setting.members));
  for (double& effect : shared) effect = of_one * random.normal();
  std::vector<Values> members;
  Values measured;
  for (const double value : truth) {
    Values row;
    for (const double effect : shared) row.push_back(value + effect + of_one * random.normal());
    measured.push_back(statistics::mean(row));
    members.push_back(row);
  }
  const std::size_t best = best_of(measured);
  return {statistics::shrunken_best(measured, *statistics::luck_of_members(members)), measured[best], truth[best]};
}

Outcome outcome_of(const Setting& setting, RandomStream& random) {
  return setting.members > 0 ? with_members(setting, random) : known_noise(setting, random);
}

void print(const std::string& name, const Setting& setting, int searches) {
  RandomStream random(1, {"winner", name});
  Values errors, raw;
  int covered = 0;
  for (int i = 0; i < searches; ++i) {
    const Outcome one = outcome_of(setting, random);
    errors.push_back(100 * (one.found.value - one.truth));
    raw.push_back(100 * (one.raw - one.truth));
    covered += one.found.low <= one.truth && one.truth <= one.found.high ? 1 : 0;
  }
  const double reach = 1.96 * statistics::standard_deviation(errors) / std::sqrt(searches);
  fmt::print("{} {:.4f} {:.4f} {:.4f} {:.4f}\n", name, statistics::mean(errors), reach, statistics::mean(raw),
             double(covered) / searches);
}

// ---- races ----

constexpr std::size_t kCandidates = 5;
constexpr int kSeeds = 5;
constexpr double kTestLuck = 0.01;  ///< of the test examples, the same for all models of a trial

Values measured_once(const Values& truth, double noise, RandomStream& random) {
  Values measured;
  for (const double value : truth) measured.push_back(value + noise * random.normal());
  return measured;
}

std::vector<std::size_t> best_few(const Values& measured) {
  std::vector<std::size_t> order(measured.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return measured[a] > measured[b]; });
  order.resize(std::min(order.size(), kCandidates));
  return order;
}

/// Place of the winner among the candidates: every cell is drawn, and the race looks at those that it asks for.
std::size_t raced(const std::vector<std::size_t>& candidates, const Values& truth, double noise, RandomStream& random) {
  std::vector<statistics::SeenCells> cells;
  for (const std::size_t trial : candidates) {
    statistics::SeenCells& row = cells.emplace_back();
    for (int seed = 0; seed < kSeeds; ++seed) row.emplace_back(truth[trial] + noise * random.normal());
  }
  static const auto rules = statistics::race_rules(kSeeds, std::nullopt, int(kCandidates), 0.05, true);
  return *statistics::race(rules, cells).leader;
}

struct RaceOutcome {
  Outcome outcome;
  double gain;
};

RaceOutcome race_outcome(const Setting& setting, RandomStream& random) {
  Setting larger = setting;
  larger.trials += int(kCandidates) * kSeeds;
  const Values all = true_values(larger, random), measured = measured_once(all, setting.noise, random);
  const Values first(measured.begin(), measured.begin() + setting.trials);
  const std::vector<std::size_t> candidates = best_few(first);
  const double truth = all[candidates[raced(candidates, all, setting.noise, random)]];
  const double rows = kTestLuck * random.normal();
  Values tested;
  for (int seed = 0; seed < kSeeds; ++seed) tested.push_back(truth + rows + setting.noise * random.normal());
  const auto interval = *statistics::t_interval(tested);
  const double reach = std::hypot(interval.high - interval.mean, 1.96 * kTestLuck);
  const std::size_t best = best_of(measured);
  return {{{interval.mean, interval.mean - reach, interval.mean + reach}, measured[best] - all[best] + truth, truth},
          truth - all[best]};
}

void print_race(const std::string& name, const Setting& setting, int searches) {
  RandomStream random(1, {"race", name});
  Values errors, raw, gains;
  int covered = 0;
  for (int i = 0; i < searches; ++i) {
    const auto [one, gain] = race_outcome(setting, random);
    errors.push_back(100 * (one.found.value - one.truth));
    raw.push_back(100 * (one.raw - one.truth));
    gains.push_back(100 * gain);
    covered += one.found.low <= one.truth && one.truth <= one.found.high ? 1 : 0;
  }
  const auto reach = [&](const Values& v) { return 1.96 * statistics::standard_deviation(v) / std::sqrt(searches); };
  fmt::print("race.{} {:.4f} {:.4f} {:.4f} {:.4f} {:.4f} {:.4f}\n", name, statistics::mean(errors), reach(errors),
             statistics::mean(raw), double(covered) / searches, statistics::mean(gains), reach(gains));
}

}  // namespace

int main(int count, char** words) {
  const int searches = count > 1 ? std::atoi(words[1]) : 1000;
  for (const auto& [shape, name] : kShapes) {
    for (const int trials : {8, 32, 100}) {
      for (const double noise : {0.005, 0.015})
        print(fmt::format("known.{}.{}.{}", name, trials, noise), {.shape = shape, .trials = trials, .noise = noise},
              searches);
      for (const int members : {3, 10})
        print(fmt::format("members.{}.{}.{}", name, trials, members),
              {.shape = shape, .trials = trials, .noise = 0.01, .members = members}, searches);
    }
  }
  for (const auto& [shape, name] : kShapes) {
    for (const int trials : {16, 32, 100}) {
      for (const double noise : {0.005, 0.015})
        print_race(fmt::format("{}.{}.{}", name, trials, noise), {.shape = shape, .trials = trials, .noise = noise},
                   searches);
    }
  }
  return 0;
}
