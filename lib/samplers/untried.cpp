// SPDX-License-Identifier: Apache-2.0
#include "samplers/untried.hpp"

#include <fmt/format.h>

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

Untried::Untried(const space::Space& space) : space_(space), points_(space) {}

void Untried::insert(const space::Values& values) {
  if (const auto point = key(values)) tried_.insert(*point);
}

bool Untried::was_tried(const space::Values& values) const {
  const auto point = key(values);
  return point && tried_.contains(*point);
}

bool Untried::is_used_up() const {
  return points_.size() && static_cast<std::int64_t>(tried_.size()) >= *points_.size();
}

std::string Untried::used_up() const {
  return fmt::format("all {} points of the space were tried", points_.size().value_or(0));
}

space::Values Untried::pick(RandomStream& random, const std::function<space::Values()>& draw) {
  space::Values values;
  for (int i = 0; i < kDraws; ++i) {
    values = draw();
    if (!was_tried(values)) return values;
  }
  const auto size = points_.size();
  if (!size) return values;
  const auto start = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(*size)));
  const std::int64_t free = tried_.next_free(start);
  return points_.at(free < *size ? free : tried_.next_free(0));
}

std::optional<std::int64_t> Untried::key(const space::Values& values) const {
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
