// SPDX-License-Identifier: Apache-2.0
#include "importance/columns.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "samplers/axis.hpp"

namespace dlrun::importance {

namespace {

using samplers::Axis;

/// Values of a finite domain that a trial has or a condition names, by their index, each with its class.
std::map<std::int64_t, std::size_t> classes_of(const Evidence& evidence, std::size_t parameter) {
  std::set<std::int64_t> own;
  for (const space::Values& values : evidence.values) {
    if (is_active(values[parameter])) own.insert(evidence.space.index_of(parameter, values[parameter]));
  }
  for (const space::Parameter& p : evidence.space.parameters()) {
    for (const space::Condition& condition : p.when) {
      if (condition.parameter != parameter) continue;
      for (const space::Value& v : condition.any_of) own.insert(evidence.space.index_of(parameter, v));
    }
  }
  std::map<std::int64_t, std::size_t> classes;
  for (const std::int64_t index : own) classes.emplace(index, classes.size());
  return classes;
}

/// Share of the domain by class; the last entry is the share of all other values, if there are any.
std::vector<double> measure_of(const space::Space& space, const Axis& axis,
                               const std::map<std::int64_t, std::size_t>& classes) {
  std::vector<double> measure(classes.size());
  double rest = 1;
  for (const auto& [index, which] : classes) {
    const auto [from, to] = space.share(axis.parameter, space.value_at(axis.parameter, index));
    measure[which] = to - from;
    rest -= to - from;
  }
  if (classes.size() < std::size_t(axis.count)) measure.push_back(std::max(rest, 0.0));
  return measure;
}

Column set_column(const Evidence& evidence, const Axis& axis) {
  const auto classes = classes_of(evidence, axis.parameter);
  Column column{axis.parameter, {}, measure_of(evidence.space, axis, classes), {}};
  for (const space::Values& values : evidence.values) {
    const space::Value& v = values[axis.parameter];
    column.x.push_back(is_active(v) ? double(classes.at(evidence.space.index_of(axis.parameter, v)))
                                    : samplers::kInactive);
  }
  return column;
}

Column number_column(const Evidence& evidence, const Axis& axis) {
  Column column{axis.parameter, {}, {}, {}};
  for (const space::Values& values : evidence.values) {
    const space::Value& v = values[axis.parameter];
    column.x.push_back(is_active(v) ? evidence.space.to_unit(axis.parameter, v) : samplers::kInactive);
  }
  return column;
}

/// The conditions of a parameter; nullopt: it is active nowhere that counts.
std::optional<std::vector<Guard>> guards_of(const Evidence& evidence, std::size_t parameter,
                                            const std::vector<Column>& columns) {
  std::vector<Guard> guards;
  for (const space::Condition& condition : evidence.space.parameters()[parameter].when) {
    const auto count = evidence.space.count(condition.parameter);
    if (count == 1) continue;  // a constant that holds: a condition names values of the domain only
    const auto parent = std::find_if(columns.begin(), columns.end(),
                                     [&](const Column& c) { return c.parameter == condition.parameter; });
    if (!count || parent == columns.end()) return std::nullopt;
    const auto classes = classes_of(evidence, condition.parameter);
    Guard guard{std::size_t(parent - columns.begin()), std::vector<bool>(parent->measure.size())};
    for (const space::Value& v : condition.any_of) {
      guard.classes[classes.at(evidence.space.index_of(condition.parameter, v))] = true;
    }
    guards.push_back(std::move(guard));
  }
  return guards;
}

}  // namespace

std::vector<Column> columns_of(const Evidence& evidence) {
  std::vector<Column> columns;
  for (const Axis& axis : samplers::axes_of(evidence.space)) {
    auto guards = guards_of(evidence, axis.parameter, columns);
    if (!guards) continue;
    const bool is_set = axis.is_categorical || (axis.is_branching && axis.count > 0);
    columns.push_back(is_set ? set_column(evidence, axis) : number_column(evidence, axis));
    columns.back().guards = std::move(*guards);
  }
  const bool has_parts = std::any_of(evidence.budgets.begin(), evidence.budgets.end(), [](double b) { return b < 1; });
  if (has_parts) columns.push_back({Column::kBudget, evidence.budgets, {}, {}});
  return columns;
}

}  // namespace dlrun::importance
