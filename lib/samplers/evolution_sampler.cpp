// SPDX-License-Identifier: Apache-2.0
#include "samplers/evolution_sampler.hpp"

#include <fmt/format.h>

#include "samplers/first_point.hpp"
#include "samplers/polynomial_mutation.hpp"

namespace dlrun::samplers {

EvolutionSampler::EvolutionSampler(const space::Space& space, std::uint64_t seed, const EvolutionOptions& options)
    : options_(options), untried_(space), seed_(seed), history_(space), first_(space.size(), seed) {}

void EvolutionSampler::on_start(trial::TrialId trial, const space::Values& values) {
  unknown_.emplace(trial, static_cast<std::uint32_t>(history_.size()));
  trials_.push_back({trial, values});
  history_.on_start(trial, values);
  untried_.insert(values);
}

void EvolutionSampler::on_result(const Observation& observation) {
  history_.on_result(observation);
  const auto found = unknown_.find(observation.trial);
  if (found == unknown_.end() || !history_.is_ranked(found->second)) return;
  alive_.push_back(found->second);
  unknown_.erase(found);
  if (alive_.size() > options_.population) alive_.pop_front();
}

std::optional<space::Values> EvolutionSampler::propose(std::int64_t number) {
  if (untried_.is_used_up()) {
    reason_ = untried_.used_up();
    return std::nullopt;
  }
  RandomStream random(seed_, {"sampler", name(), std::to_string(number)});
  if (alive_.size() < options_.population || history_.axes().empty()) {
    reason_ = fmt::format("quasi-random: {} of the first {} trials have a value", alive_.size(), options_.population);
    return first_point(untried_, first_, history_.size(), random, reason_);
  }
  auto values = untried_.pick(
      random, [&] { return child(random); }, reason_);
  if (reason_.ends_with(Untried::kRandom))
    reason_ = fmt::format("random: all children drawn from the newest {} were tried", alive_.size());
  return values;
}

std::uint32_t EvolutionSampler::parent(RandomStream& random) const {
  std::uint32_t best = alive_[random.below(alive_.size())];
  for (std::size_t i = 1; i < options_.sample; ++i) {
    const std::uint32_t rival = alive_[random.below(alive_.size())];
    if (history_.is_before(rival, best)) best = rival;
  }
  return best;
}

space::Values EvolutionSampler::child(RandomStream& random) {
  const auto& axes = history_.axes();
  const std::uint32_t from = parent(random);
  const Coordinates old = history_.coordinates(from);
  const std::size_t other = axis_to_change(old, random);
  reason_ =
      fmt::format("trial {} with another {}; it is the best of {} drawn from the newest {}", trials_[from].trial.value,
                  untried_.space().parameters()[axes[other].parameter].name, options_.sample, alive_.size());
  return build(untried_.space(), axes, [&](std::size_t axis) {
    const bool is_kept = axis != other && !std::isnan(old[axis]);
    return is_kept ? trials_[from].values[axes[axis].parameter] : changed(axes[axis], old[axis], random);
  });
}

std::size_t EvolutionSampler::axis_to_change(const Coordinates& from, RandomStream& random) const {
  std::vector<std::size_t> active;
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    if (!std::isnan(from[axis])) active.push_back(axis);
  }
  return active[random.below(active.size())];
}

/// Another value on the axis; any where there was none.
space::Value EvolutionSampler::changed(const Axis& axis, double x, RandomStream& random) const {
  const bool is_new = std::isnan(x);
  if (axis.is_categorical) {
    const auto others = static_cast<std::uint64_t>(axis.count) - (is_new ? 0 : 1);
    const auto drawn = static_cast<double>(random.below(others));
    return value_at(untried_.space(), axis, !is_new && drawn >= x ? drawn + 1 : drawn);
  }
  const double u = random.uniform();
  return value_at(untried_.space(), axis, is_new ? u : inside_unit(nudged(x, options_.nudge, u)));
}

}  // namespace dlrun::samplers
