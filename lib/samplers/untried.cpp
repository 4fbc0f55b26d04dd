// SPDX-License-Identifier: Apache-2.0
#include "samplers/untried.hpp"

#include <fmt/format.h>

namespace dlrun::samplers {

namespace {

constexpr int kDraws = 64;
constexpr int kRedraws = 16;  ///< draws anew of points that a constraint excludes

/// Mixes 64 bits (the finaliser of SplitMix64, Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

Untried::Untried(const space::Space& space) : space_(space), points_(space), feasible_(space) {}

void Untried::insert(const space::Values& values) {
  if (!is_allowed(values)) return;  // a point of an earlier form of the study
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
  const std::int64_t size = points_.size().value_or(0);
  return fmt::format("all {} point{} of the space{} were tried", size, size == 1 ? "" : "s",
                     space_.constraints().empty() ? "" : " that keep the constraints");
}

space::Values Untried::pick(RandomStream& random, const std::function<space::Values()>& draw, std::string& reason) {
  space::Values values;
  if (auto allowed = pick_allowed(random, draw, reason)) return *allowed;
  for (int i = 0; i < kDraws; ++i) {
    values = feasible_.is_free() ? draw() : feasible_.draw(random);
    if (!was_tried(values)) return values;
  }
  const auto size = points_.size();
  if (!size) return values;
  if (feasible_.is_free()) reason += kRandom;
  const auto start = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(*size)));
  const std::int64_t free = tried_.next_free(start);
  return points_.at(free < *size ? free : tried_.next_free(0));
}

/// With constraints: what `draw` yields, else that moved to where they hold. nullopt: all of it was tried.
std::optional<space::Values> Untried::pick_allowed(RandomStream& random, const std::function<space::Values()>& draw,
                                                   std::string& reason) {
  if (feasible_.is_free()) return std::nullopt;
  std::optional<space::Values> excluded;
  std::string why;  // reason of `excluded`
  for (int i = 0, redraws = 0; i < kDraws && redraws < kRedraws; ++i) {
    auto values = draw();
    if (is_new(values)) return values;
    if (is_allowed(values)) continue;
    if (!excluded) why = reason;
    if (!excluded) excluded = std::move(values);
    ++redraws;
  }
  if (excluded) {
    auto values = moved(*excluded, random);
    const bool is_untried = !was_tried(values);
    if (is_untried) reason = why + "; moved to where the constraints hold";
    if (is_untried) return values;
  }
  reason += kRandom;
  return std::nullopt;
}

std::optional<std::int64_t> Untried::key(const space::Values& values) const {
  if (points_.size()) return points_.number_of(values).value_or(-1);
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
