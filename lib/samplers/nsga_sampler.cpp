// SPDX-License-Identifier: Apache-2.0
#include "samplers/nsga_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pareto/fronts.hpp"
#include "samplers/first_point.hpp"
#include "samplers/polynomial_mutation.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::samplers {

namespace {

/// How far a child lies from the middle of its parents, in halves of their distance; `room` is the parents' distance
/// from the bound, in the same unit: no child lies beyond (Deb and Agrawal 1995, with bounds as Deb's NSGA-II has
/// them).
double spread_factor(double room, double eta, double u) {
  const double alpha = 2 - arithmetic::pow(1 + 2 * room, -(eta + 1));
  const double base = u <= 1 / alpha ? u * alpha : 1 / (2 - u * alpha);
  return arithmetic::pow(base, 1 / (eta + 1));
}

}  // namespace

NsgaSampler::NsgaSampler(const space::Space& space, std::uint64_t seed, const NsgaOptions& options)
    : options_(options), untried_(space), seed_(seed), history_(space), first_(space.size(), seed) {}

void NsgaSampler::on_start(trial::TrialId trial, const space::Values& values) {
  history_.on_start(trial, values);
  untried_.insert(values);
}

void NsgaSampler::on_result(const Observation& observation) {
  history_.on_result(observation);
  learn();
}

std::optional<space::Values> NsgaSampler::propose(std::int64_t number) {
  if (untried_.is_used_up()) {
    reason_ = untried_.used_up();
    return std::nullopt;
  }
  RandomStream random(seed_, {"sampler", name(), std::to_string(number)});
  if (parents_.size() < 2) {
    reason_ = fmt::format("quasi-random: the first generation of {}", options_.population);
    return first_point(untried_, first_, history_.size(), random, reason_);
  }
  reason_ = fmt::format("a child of generation {}", generation_);
  return untried_.pick(
      random, [&] { return child(random); }, reason_);
}

/// Takes in every generation whose trials are all visible.
void NsgaSampler::learn() {
  while (is_visible()) {
    std::vector<std::uint32_t> candidates;
    for (const Parent& parent : parents_) {
      if (history_.is_ranked(parent.trial)) candidates.push_back(parent.trial);
    }
    for (std::size_t i = begin_; i < begin_ + options_.population; ++i) {
      if (history_.is_ranked(i)) candidates.push_back(static_cast<std::uint32_t>(i));
    }
    select(candidates);
    begin_ += options_.population;
    ++generation_;
  }
}

bool NsgaSampler::is_visible() const {
  if (history_.size() < begin_ + options_.population) return false;
  for (std::size_t i = begin_; i < begin_ + options_.population; ++i) {
    if (!history_.is_seen(i)) return false;
  }
  return true;
}

/// The best become parents: whole fronts, and of the last the least crowded.
void NsgaSampler::select(const std::vector<std::uint32_t>& candidates) {
  parents_.clear();
  const auto tiers = history_.tiers_of(candidates);
  for (std::size_t t = 0; t < tiers.size() && parents_.size() < options_.population; ++t) {
    std::vector<pareto::Score> scores;
    std::vector<std::size_t> all;
    for (const std::uint32_t trial : tiers[t]) {
      all.push_back(scores.size());
      scores.push_back(history_.score(trial));
    }
    const auto crowding = pareto::crowding_of(scores, all);
    std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) { return crowding[a] > crowding[b]; });
    for (const std::size_t k : all) {
      if (parents_.size() < options_.population) parents_.push_back({tiers[t][k], t, crowding[k]});
    }
  }
}

/// Better of two parents drawn: the one of the better front, then the less crowded.
const NsgaSampler::Parent& NsgaSampler::winner(RandomStream& random) const {
  const Parent& a = parents_[random.below(parents_.size())];
  const Parent& b = parents_[random.below(parents_.size())];
  if (a.tier != b.tier) return a.tier < b.tier ? a : b;
  return b.crowding > a.crowding ? b : a;
}

space::Values NsgaSampler::child(RandomStream& random) const {
  const Coordinates a = history_.coordinates(winner(random).trial);
  const Coordinates b = history_.coordinates(winner(random).trial);
  const bool has_two = random.uniform() < options_.crossover;
  const auto& axes = history_.axes();
  return build(untried_.space(), axes, [&](std::size_t axis) {
    const double x = has_two ? crossed(axes[axis], a[axis], b[axis], random) : a[axis];
    return value_at(untried_.space(), axes[axis], mutated(axes[axis], x, random));
  });
}

double NsgaSampler::crossed(const Axis& axis, double a, double b, RandomStream& random) const {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  const bool is_swapped = random.uniform() < 0.5;
  if (axis.is_categorical) return is_swapped ? b : a;
  if (random.uniform() >= options_.swap || a == b) return is_swapped ? b : a;
  const auto [low, high] = std::minmax(a, b);
  const double distance = high - low;
  const double room = (is_swapped ? 1 - high : low) / distance;
  const double beta = spread_factor(room, options_.spread, random.uniform());
  return inside_unit(0.5 * (low + high + (is_swapped ? beta : -beta) * distance));
}

double NsgaSampler::mutated(const Axis& axis, double x, RandomStream& random) const {
  const bool is_new = std::isnan(x) ||  // active in neither parent
                      random.uniform() * static_cast<double>(history_.axes().size()) < options_.mutation;
  if (!is_new) return x;
  if (axis.is_categorical) return static_cast<double>(random.below(static_cast<std::uint64_t>(axis.count)));
  if (std::isnan(x)) return random.uniform();
  return inside_unit(nudged(x, options_.nudge, random.uniform()));
}

}  // namespace dlrun::samplers
