// SPDX-License-Identifier: Apache-2.0
#include "host_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "guest/plain_values.hpp"
#include "util/json.hpp"

namespace dlrun {

namespace {

constexpr double kLastUnit = 0x1.fffffffffffffp-1;  ///< the largest double below 1

plugin::ParameterKind kind_of(const space::Parameter& p) {
  if (p.type == space::Type::real) return plugin::ParameterKind::real;
  return p.type == space::Type::integer ? plugin::ParameterKind::integer : plugin::ParameterKind::choice;
}

std::string text_of(const Json& choice) { return choice.is_string() ? choice.get<std::string>() : to_text(choice); }

plugin::Parameter shown(const space::Parameter& p) {
  plugin::Parameter out{.name = p.name,
                        .kind = kind_of(p),
                        .low = p.low,
                        .high = p.high,
                        .log = p.log,
                        .step = p.step,
                        .choices = {},
                        .is_ordered = p.type == space::Type::ordinal,
                        .when = {}};
  for (const Json& choice : p.choices) out.choices.push_back(text_of(choice));
  for (const space::Condition& condition : p.when)
    out.when.push_back({condition.parameter, guest::plain(condition.any_of)});
  return out;
}

}  // namespace

HostSpace::HostSpace(space::Space space) : space_(std::move(space)) {
  for (const space::Parameter& p : space_.parameters()) parameters_.push_back(shown(p));
}

bool HostSpace::is_active(std::size_t parameter, const plugin::Point& point) const {
  return space_.is_active(parameter, values_of(point));
}

double HostSpace::from_unit(std::size_t parameter, double unit) const {
  (void)parameters_.at(parameter);
  if (std::isnan(unit)) throw std::invalid_argument("a unit coordinate is not a number");
  return guest::plain(space_.from_unit(parameter, std::clamp(unit, 0.0, kLastUnit)));
}

double HostSpace::to_unit(std::size_t parameter, double value) const {
  return space_.to_unit(parameter, value_of(parameter, value));
}

std::optional<std::int64_t> HostSpace::count(std::size_t parameter) const {
  (void)parameters_.at(parameter);
  return space_.count(parameter);
}

bool HostSpace::keeps_constraints(const plugin::Point& point) const { return space_.satisfies(values_of(point)); }

space::Value HostSpace::value_of(std::size_t parameter, double value) const {
  const auto typed = guest::typed(space_.parameters().at(parameter), value);
  if (typed && space_.contains(parameter, *typed)) return *typed;
  throw std::invalid_argument(fmt::format("{} is no value of '{}'", value, parameters_[parameter].name));
}

space::Values HostSpace::values_of(const plugin::Point& point) const {
  space::Values values(space_.size());
  for (std::size_t i = 0; i < std::min(values.size(), point.size()); ++i)
    values[i] = guest::typed(space_.parameters()[i], point[i]).value_or(space::Value());
  return values;
}

}  // namespace dlrun
