// SPDX-License-Identifier: Apache-2.0
#include "guest/plain_values.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace dlrun::guest {

namespace {

constexpr double kMostWhole = 9007199254740992;  ///< 2^53: above it doubles skip whole numbers

}  // namespace

double plain(const space::Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return double(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* choice = std::get_if<space::Choice>(&value)) return double(choice->index);
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> plain(const space::Values& values) {
  std::vector<double> out;
  out.reserve(values.size());
  for (const space::Value& value : values) out.push_back(plain(value));
  return out;
}

std::optional<space::Value> typed(const space::Parameter& parameter, double value) {
  if (std::isnan(value)) return space::Value();
  if (parameter.type == space::Type::real) return value;
  if (value != std::floor(value) || std::abs(value) > kMostWhole) return std::nullopt;
  if (parameter.type == space::Type::integer) return std::int64_t(value);
  if (value < 0 || value >= double(parameter.choices.size())) return std::nullopt;
  return space::Choice{std::uint32_t(value)};
}

}  // namespace dlrun::guest
