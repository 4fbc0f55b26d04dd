// SPDX-License-Identifier: Apache-2.0
#include "space/constraint.hpp"

#include <algorithm>
#include <cmath>

#include "space/domain.hpp"
#include "util/json.hpp"

namespace dlrun::space {

namespace {

constexpr double kRounding = 1e-12;
constexpr double kEqual = 1e-9;

}  // namespace

bool is_number(const Parameter& parameter) {
  return !has_choices(parameter) || std::all_of(parameter.choices.begin(), parameter.choices.end(),
                                                [](const Json& choice) { return choice.is_number(); });
}

double number_of(const Space& space, std::size_t index, const Value& value) {
  if (const auto* choice = std::get_if<Choice>(&value)) {
    return space.parameters()[index].choices[choice->index].get<double>();
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return std::get<double>(value);
}

bool matches(const Space& space, const Clause& clause, const Value& value) {
  if (std::holds_alternative<std::monostate>(value)) return false;
  if (!clause.range) return std::find(clause.any_of.begin(), clause.any_of.end(), value) != clause.any_of.end();
  const double x = number_of(space, clause.parameter, value);
  return x >= clause.range->first && x <= clause.range->second;
}

bool holds(const Space& space, const Linear& linear, const Values& values) {
  double sum = 0, scale = std::abs(linear.bound);
  for (const Term& term : linear.terms) {
    if (std::holds_alternative<std::monostate>(values[term.parameter])) return true;
    const double part = term.factor * number_of(space, term.parameter, values[term.parameter]);
    sum += part;
    scale = std::max(scale, std::abs(part));
  }
  const double over = sum - linear.bound;
  switch (linear.relation) {
    case Relation::less: return over < -kRounding * scale;
    case Relation::at_most: return over <= kRounding * scale;
    case Relation::equal: return std::abs(over) <= kEqual * scale;
  }
  return true;
}

bool holds(const Space& space, const Forbidden& forbidden, const Values& values) {
  return !std::all_of(forbidden.all_of.begin(), forbidden.all_of.end(),
                      [&](const Clause& clause) { return matches(space, clause, values[clause.parameter]); });
}

bool holds(const Space& space, const Constraint& constraint, const Values& values) {
  return std::visit([&](const auto& rule) { return holds(space, rule, values); }, constraint.rule);
}

}  // namespace dlrun::space
