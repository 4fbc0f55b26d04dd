// SPDX-License-Identifier: Apache-2.0
#include "exchange/hparam_columns.hpp"

#include <algorithm>

#include "exchange/exported.hpp"

namespace dlrun::exchange {

namespace {

HParamType type_of(const std::vector<Json>& choices) {
  const auto all = [&](auto is) { return std::all_of(choices.begin(), choices.end(), is); };
  if (all([](const Json& one) { return one.is_number(); })) return HParamType::number;
  if (all([](const Json& one) { return one.is_boolean(); })) return HParamType::boolean;
  return HParamType::text;
}

Json shown(const Json& value, HParamType type) {
  return type == HParamType::text ? Json(clean_text(plain_text(value))) : value;
}

HParam column_of(const Parameter& parameter) {
  HParam out{.name = parameter.name, .description = parameter.place};
  if (parameter.choices.empty()) {
    out.low = parameter.low;
    out.high = parameter.high;
    return out;
  }
  out.type = type_of(parameter.choices);
  for (const Json& choice : parameter.choices) out.choices.push_back(shown(choice, out.type));
  return out;
}

void turn_into_text(HParam& column) {
  column.type = HParamType::text;
  for (Json& choice : column.choices) choice = shown(choice, column.type);
}

void add_choices(HParam& to, const std::vector<Json>& choices) {
  for (const Json& choice : choices) {
    if (std::find(to.choices.begin(), to.choices.end(), choice) == to.choices.end()) to.choices.push_back(choice);
  }
}

/// Widens a column by another study's. A range beside a list leaves numbers without a domain.
void merge(HParam& to, HParam from) {
  if (to.type != from.type) {
    turn_into_text(to);
    turn_into_text(from);
  }
  const bool has_range = to.type == HParamType::number && to.choices.empty() != from.choices.empty();
  to.low = std::min(to.low, from.low);
  to.high = std::max(to.high, from.high);
  if (has_range) {
    for (const Json& choice : to.choices.empty() ? from.choices : to.choices) {
      to.low = std::min(to.low, choice.get<double>());
      to.high = std::max(to.high, choice.get<double>());
    }
    to.choices.clear();
    return;
  }
  add_choices(to, from.choices);
}

}  // namespace

void HParamColumns::add_study(const StudySource& source) {
  for (const Parameter& parameter : source.parameters()) add_parameter(parameter);
  for (const std::string& objective : source.objectives()) add_metric(objective_tag(objective));
  for (const std::string& metric : source.metric_tags()) add_metric(metric);
}

void HParamColumns::add_parameter(const Parameter& parameter) {
  const auto [place, is_new] = places_.emplace(parameter.name, columns_.size());
  if (is_new) {
    columns_.push_back(column_of(parameter));
  } else {
    merge(columns_[place->second], column_of(parameter));
  }
}

void HParamColumns::add_metric(const std::string& metric) {
  if (std::find(metrics_.begin(), metrics_.end(), metric) == metrics_.end()) metrics_.push_back(metric);
}

std::vector<std::pair<std::string, Json>> HParamColumns::values_of(const Trial& trial) const {
  std::vector<std::pair<std::string, Json>> out;
  for (const auto& [name, value] : trial.params) {
    if (!value.is_null()) out.emplace_back(name, shown(value, columns_[places_.at(name)].type));
  }
  return out;
}

}  // namespace dlrun::exchange
