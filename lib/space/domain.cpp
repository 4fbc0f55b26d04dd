// SPDX-License-Identifier: Apache-2.0
// Checks of a domain, behind Space's constructor. The spec checks the same before, with places; these have the last
// word.
#include "space/domain.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::space {

namespace {

constexpr double kExactIntegers = 0x1p53;
constexpr double kMostValues = 0x1p50;       // above it, unit coordinates no longer tell all values apart
constexpr double kLargestLogInteger = 1e12;  // above it, the same on a log scale

void require(bool holds, const Parameter& p, const std::string& what, const std::string& hint = {}) {
  if (!holds) throw Error(ErrorKind::usage, fmt::format("parameter '{}' {}", p.name, what), hint);
}

bool is_whole(double x) { return std::isfinite(x) && std::abs(x) <= kExactIntegers && x == std::floor(x); }

void check_integer(const Parameter& p) {
  require(is_whole(p.low) && is_whole(p.high), p,
          fmt::format("needs whole numbers for low and high, but they are {} and {}", p.low, p.high));
  require(!p.step || (is_whole(*p.step) && *p.step >= 1), p, "needs a whole step of at least 1");
  require((p.high - p.low) / p.step.value_or(1) < kMostValues, p, "has more than 2^50 values", "give it a step");
  require(!p.log || p.high <= kLargestLogInteger, p, "has a log scale of integers above 1e12", "use type: float");
}

void check_range(const Parameter& p) {
  require(std::isfinite(p.low) && std::isfinite(p.high) && std::isfinite(p.high - p.low), p,
          "needs finite low and high");
  require(p.low <= p.high, p, fmt::format("needs low <= high, but low is {} and high is {}", p.low, p.high));
  require(!p.log || p.low > 0, p, fmt::format("has a log scale, which needs low > 0, but low is {}", p.low),
          "write a small positive low, or scale: linear");
  require(!p.log || !p.step, p, "has both a step and a log scale", "drop one of them");
  require(!p.step || (std::isfinite(*p.step) && *p.step > 0), p, "needs a step above 0");
  require(!p.step || (p.high - p.low) / *p.step < kMostValues, p, "has more than 2^50 values", "take a larger step");
  if (p.type == Type::integer) check_integer(p);
}

void check_choices(const Parameter& p) {
  require(!p.choices.empty(), p, "has no choices");
  require(p.type != Type::constant || p.choices.size() == 1, p, "is a constant and needs exactly one value");
  std::set<std::pair<int, Json>> known;  // with the type: 1 and 1.0 are two
  for (const Json& choice : p.choices) {
    const bool is_new = known.emplace(static_cast<int>(choice.type()), choice).second;
    require(is_new, p, is_new ? "" : fmt::format("lists the choice {} twice", to_text(choice)));
  }
}

}  // namespace

bool has_choices(const Parameter& parameter) {
  return parameter.type == Type::categorical || parameter.type == Type::ordinal || parameter.type == Type::constant;
}

void check_domain(const Parameter& parameter) {
  if (parameter.name.empty()) throw Error(ErrorKind::usage, "a parameter needs a name");
  has_choices(parameter) ? check_choices(parameter) : check_range(parameter);
}

}  // namespace dlrun::space
