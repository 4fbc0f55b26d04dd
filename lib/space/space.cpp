// SPDX-License-Identifier: Apache-2.0
#include "space/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "space/constraint.hpp"
#include "space/domain.hpp"
#include "space/feasible_points.hpp"
#include "util/arithmetic.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::space {

namespace {

constexpr double kBelowOne = 1.0 - 0x1p-53;

/// Number rounded to 15 significant digits, as people write it: low + k * step without the noise of binary fractions.
double rounded(double x) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific, 14).ptr;
  double result = x;
  std::from_chars(text, end, result);
  return result;
}

/// Steps from low to high, both inside. A step that misses high by rounding alone still reaches it.
std::int64_t steps_between(double low, double high, double step) {
  const double steps = (high - low) / step;
  return static_cast<std::int64_t>(std::floor(steps * (1 + 1e-12) + 1e-9));
}

std::int64_t integers_of(const Parameter& p) {
  return (static_cast<std::int64_t>(p.high) - static_cast<std::int64_t>(p.low)) /
         static_cast<std::int64_t>(p.step.value_or(1));
}

/// A log scale gives integer v the share between v - 1/2 and v + 1/2.
struct LogShares {
  double start, width;
  explicit LogShares(const Parameter& p)
      : start(arithmetic::log(p.low - 0.5)), width(arithmetic::log(p.high + 0.5) - arithmetic::log(p.low - 0.5)) {}
};

}  // namespace

Space::Space() = default;
Space::~Space() = default;
Space::Space(const Space&) = default;
Space::Space(Space&&) noexcept = default;
Space& Space::operator=(const Space&) = default;
Space& Space::operator=(Space&&) noexcept = default;

Space::Space(std::vector<Parameter> parameters, std::vector<Constraint> constraints)
    : parameters_(std::move(parameters)), constraints_(std::move(constraints)) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& p = parameters_[i];
    check_domain(p);
    if (*find(p.name) != i) throw Error(ErrorKind::usage, fmt::format("parameter '{}' is given twice", p.name));
    for (const Condition& c : p.when) {
      if (c.parameter >= i || c.any_of.empty()) {
        throw Error(ErrorKind::usage, fmt::format("parameter '{}' depends on one that is not before it", p.name));
      }
      for (const Value& v : c.any_of) {
        if (contains(c.parameter, v)) continue;
        throw Error(ErrorKind::usage, fmt::format("parameter '{}' depends on a value that '{}' never has", p.name,
                                                  parameters_[c.parameter].name));
      }
    }
  }
}

std::optional<std::size_t> Space::find(const std::string& name) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].name == name) return i;
  }
  return std::nullopt;
}

bool Space::is_active(std::size_t index, const Values& values) const {
  const auto holds = [&](const Condition& c) {
    return std::find(c.any_of.begin(), c.any_of.end(), values[c.parameter]) != c.any_of.end();
  };
  const auto& when = parameters_[index].when;
  return std::all_of(when.begin(), when.end(), holds);
}

std::optional<std::int64_t> Space::count(std::size_t index) const {
  const Parameter& p = parameters_[index];
  if (has_choices(p)) return static_cast<std::int64_t>(p.choices.size());
  if (p.type == Type::integer) return integers_of(p) + 1;
  if (p.step) return steps_between(p.low, p.high, *p.step) + 1;
  if (p.low == p.high) return 1;
  return std::nullopt;
}

Value Space::value_at(std::size_t index, std::int64_t k) const {
  const Parameter& p = parameters_[index];
  if (has_choices(p)) return Choice{static_cast<std::uint32_t>(k)};
  if (p.type == Type::integer) {
    return static_cast<std::int64_t>(p.low) + k * static_cast<std::int64_t>(p.step.value_or(1));
  }
  if (k == 0) return p.low + 0.0;  // no minus zero: equal values, equal bits
  return std::min(rounded(p.low + static_cast<double>(k) * *p.step), p.high);
}

std::int64_t Space::index_of(std::size_t index, const Value& value) const {
  const Parameter& p = parameters_[index];
  if (has_choices(p)) return std::get<Choice>(value).index;
  if (p.type == Type::integer) {
    return (std::get<std::int64_t>(value) - static_cast<std::int64_t>(p.low)) /
           static_cast<std::int64_t>(p.step.value_or(1));
  }
  return p.step ? std::llround((std::get<double>(value) - p.low) / *p.step) : 0;
}

Value Space::from_unit(std::size_t index, double unit) const {
  const Parameter& p = parameters_[index];
  unit = std::clamp(unit, 0.0, kBelowOne);
  const auto values = count(index);
  if (p.type == Type::integer && p.log) {
    const LogShares shares(p);
    const double v = std::clamp(std::round(arithmetic::exp(shares.start + unit * shares.width)), p.low, p.high);
    return static_cast<std::int64_t>(v);
  }
  if (values) {
    const auto k = static_cast<std::int64_t>(unit * static_cast<double>(*values));
    return value_at(index, std::min(k, *values - 1));
  }
  if (p.log) {
    const double start = arithmetic::log(p.low);
    return std::clamp(arithmetic::exp(start + unit * (arithmetic::log(p.high) - start)), p.low, p.high);
  }
  return std::clamp(p.low + unit * (p.high - p.low), p.low, p.high) + 0.0;
}

double Space::to_unit(std::size_t index, const Value& value) const {
  const Parameter& p = parameters_[index];
  double unit = 0;
  if (p.type == Type::integer && p.log) {
    const LogShares shares(p);
    const auto v = static_cast<double>(std::get<std::int64_t>(value));
    unit = ((arithmetic::log(v - 0.5) + arithmetic::log(v + 0.5)) / 2 - shares.start) / shares.width;
  } else if (const auto values = count(index)) {
    unit = (static_cast<double>(index_of(index, value)) + 0.5) / static_cast<double>(*values);
  } else if (p.log) {
    unit = (arithmetic::log(std::get<double>(value)) - arithmetic::log(p.low)) /
           (arithmetic::log(p.high) - arithmetic::log(p.low));
  } else {
    unit = (std::get<double>(value) - p.low) / (p.high - p.low);
  }
  return std::clamp(unit, 0.0, kBelowOne);
}

std::pair<double, double> Space::share(std::size_t index, const Value& value) const {
  const Parameter& p = parameters_[index];
  if (p.type == Type::integer && p.log) {
    const LogShares shares(p);
    const auto v = static_cast<double>(std::get<std::int64_t>(value));
    return {(arithmetic::log(v - 0.5) - shares.start) / shares.width,
            (arithmetic::log(v + 0.5) - shares.start) / shares.width};
  }
  const auto k = static_cast<double>(index_of(index, value));
  const auto values = static_cast<double>(*count(index));
  return {k / values, (k + 1) / values};
}

std::optional<std::vector<Value>> Space::enumerate(std::size_t index, std::size_t limit) const {
  const auto values = count(index);
  if (!values || *values > static_cast<std::int64_t>(limit)) return std::nullopt;
  std::vector<Value> all;
  for (std::int64_t k = 0; k < *values; ++k) all.push_back(value_at(index, k));
  return all;
}

std::optional<std::int64_t> Space::cardinality() const { return FeasiblePoints(*this).size(); }

bool Space::satisfies(const Values& values) const {
  return std::all_of(constraints_.begin(), constraints_.end(),
                     [&](const Constraint& constraint) { return holds(*this, constraint, values); });
}

bool Space::contains(std::size_t index, const Value& value) const {
  const Parameter& p = parameters_[index];
  if (has_choices(p)) {
    const auto* choice = std::get_if<Choice>(&value);
    return choice && choice->index < p.choices.size();
  }
  double x = 0;
  if (p.type == Type::integer) {
    const auto* v = std::get_if<std::int64_t>(&value);
    if (!v) return false;
    x = static_cast<double>(*v);
  } else {
    const auto* v = std::get_if<double>(&value);
    if (!v) return false;
    x = *v;
  }
  if (!(x >= p.low && x <= p.high)) return false;
  if (!count(index)) return true;
  const std::int64_t k = index_of(index, value);
  return k >= 0 && k < *count(index) && value_at(index, k) == value;
}

bool Space::contains(const Values& values) const {
  if (values.size() != size()) return false;
  for (std::size_t i = 0; i < size(); ++i) {
    const bool is_set = !std::holds_alternative<std::monostate>(values[i]);
    if (is_set != is_active(i, values) || (is_set && !contains(i, values[i]))) return false;
  }
  return satisfies(values);
}

}  // namespace dlrun::space
