// SPDX-License-Identifier: Apache-2.0
#include "samplers/random_sampler.hpp"

#include <fmt/format.h>

#include "util/json.hpp"

namespace dlrun::samplers {

namespace {

constexpr int kDraws = 64;

/// Mixes 64 bits (the finaliser of SplitMix64, Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

RandomSampler::RandomSampler(const space::Space& space, std::uint64_t seed)
    : space_(space), points_(space), seed_(seed) {}

void RandomSampler::on_start(trial::TrialId, const space::Values& values) {
  if (const auto point = key(values)) tried_.insert(*point);
}

std::optional<space::Values> RandomSampler::propose(std::int64_t number) {
  const auto size = points_.size();
  if (size && static_cast<std::int64_t>(tried_.size()) >= *size) {
    reason_ = fmt::format("all {} points of the space were tried", *size);
    return std::nullopt;
  }
  RandomStream random(seed_, {"sampler", name(), std::to_string(number)});
  space::Values values;
  for (int i = 0; i < kDraws; ++i) {
    values = draw(random);
    const auto point = key(values);
    if (!point || !tried_.contains(*point)) return values;
  }
  if (!size) return values;
  const auto start = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(*size)));
  const std::int64_t free = tried_.next_free(start);
  return points_.at(free < *size ? free : tried_.next_free(0));
}

space::Values RandomSampler::draw(RandomStream& random) const {
  space::Values values(space_.size());
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const double unit = random.uniform();  // also where it is not active: so a parameter's draw has its own place
    if (space_.is_active(i, values)) values[i] = space_.from_unit(i, unit);
  }
  return values;
}

std::optional<std::int64_t> RandomSampler::key(const space::Values& values) const {
  if (points_.size()) return points_.number_of(values);
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    if (std::holds_alternative<std::monostate>(values[i])) continue;
    if (!space_.count(i)) return std::nullopt;
    const auto k = static_cast<std::uint64_t>(space_.index_of(i, values[i]));
    hash = mixed(hash ^ mixed(k + (i + 1) * 0x9e3779b97f4a7c15u));
  }
  return static_cast<std::int64_t>(hash >> 1);
}

}  // namespace dlrun::samplers
