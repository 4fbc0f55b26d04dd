// SPDX-License-Identifier: Apache-2.0
#include "samplers/rival.hpp"

#include <fmt/format.h>

#include <cmath>

#include "util/arithmetic.hpp"
#include "util/json.hpp"

namespace dlrun::samplers {

namespace {

constexpr std::size_t kShown = 4;
constexpr double kApart = 0.05;  ///< part of a domain

bool is_active(const space::Value& value) { return !std::holds_alternative<std::monostate>(value); }

std::string short_text(const space::Space& space, std::size_t index, const space::Value& value) {
  const auto* number = std::get_if<double>(&value);
  return number ? fmt::format("{:.3g}", *number) : to_text(space.to_json(index, value));
}

bool is_apart(const space::Space& space, std::size_t index, const space::Value& a, const space::Value& b) {
  if (a == b) return false;
  if (!is_active(a) || !is_active(b) || space.parameters()[index].type == space::Type::categorical) return true;
  return std::abs(space.to_unit(index, a) - space.to_unit(index, b)) > kApart;
}

}  // namespace

std::string ahead_of(const space::Space& space, const space::Values& proposed, double log_score, const Rival& rival) {
  std::string where;
  std::size_t differ = 0;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (rival.values[i] == proposed[i] || !is_active(rival.values[i]) || ++differ > kShown) continue;
    where += fmt::format("{}{} {}", where.empty() ? "" : ", ", space.parameters()[i].name,
                         short_text(space, i, rival.values[i]));
  }
  if (differ > kShown) where += ", …";
  return fmt::format("; ahead of {} ({:.3g} % of it)", where, 100 * arithmetic::exp(rival.log_score - log_score));
}

bool is_elsewhere(const space::Space& space, const space::Values& a, const space::Values& b) {
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (is_apart(space, i, a[i], b[i])) return true;
  }
  return false;
}

}  // namespace dlrun::samplers
