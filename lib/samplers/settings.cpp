// SPDX-License-Identifier: Apache-2.0
#include "samplers/settings.hpp"

#include <algorithm>
#include <map>

#include "util/json.hpp"

namespace dlrun::samplers {

namespace {

using space::Parameter;
using space::Space;
using space::Values;

/// New numbers of settings that are kept, by their number in the study's space.
using Numbers = std::map<std::size_t, std::size_t>;

/// A constraint by the new numbers; nullopt: it names a setting that is not kept.
std::optional<space::Constraint> renumbered(space::Constraint constraint, const Numbers& numbers) {
  bool are_kept = true;
  const auto renumber = [&](std::size_t& parameter) {
    const auto found = numbers.find(parameter);
    are_kept = are_kept && found != numbers.end();
    if (found != numbers.end()) parameter = found->second;
  };
  if (auto* sum = std::get_if<space::Linear>(&constraint.rule)) {
    for (space::Term& term : sum->terms) renumber(term.parameter);
  } else {
    for (space::Clause& clause : std::get<space::Forbidden>(constraint.rule).all_of) renumber(clause.parameter);
  }
  return are_kept ? std::optional(std::move(constraint)) : std::nullopt;
}

/// Does the variant have the setting? One depends on others, which it has to have too.
bool is_kept(const Parameter& setting, std::size_t variant, const std::optional<space::Value>& value,
             const Numbers& numbers) {
  return std::all_of(setting.when.begin(), setting.when.end(), [&](const space::Condition& on) {
    if (on.parameter > variant) return numbers.contains(on.parameter);
    return on.parameter != variant || !value || std::count(on.any_of.begin(), on.any_of.end(), *value) > 0;
  });
}

Parameter alone(Parameter setting, std::size_t variant, const Numbers& numbers) {
  std::erase_if(setting.when, [&](const space::Condition& on) { return on.parameter <= variant; });
  for (space::Condition& on : setting.when) on.parameter = numbers.at(on.parameter);
  return setting;
}

}  // namespace

Settings settings_of(const Space& study, std::size_t variant, std::optional<std::size_t> which) {
  std::optional<space::Value> value;
  if (which) value = study.value_at(variant, std::int64_t(*which));
  Numbers numbers;
  Settings out;
  std::vector<Parameter> settings;
  for (std::size_t i = variant + 1; i < study.size(); ++i) {
    const Parameter& setting = study.parameters()[i];
    if (!is_kept(setting, variant, value, numbers)) continue;
    numbers[i] = settings.size();
    out.numbers.push_back(i);
    settings.push_back(alone(setting, variant, numbers));
  }
  std::vector<space::Constraint> constraints;
  for (const space::Constraint& one : study.constraints()) {
    if (auto kept = renumbered(one, numbers)) constraints.push_back(std::move(*kept));
  }
  out.space = Space(std::move(settings), std::move(constraints));
  return out;
}

Values Settings::put_into(const Space& study, Values values, const Values& settings) const {
  values.resize(study.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (study.is_active(numbers[i], values)) values[numbers[i]] = settings[i];
  }
  return values;
}

Values Settings::taken_from(const Values& values) const {
  Values out;
  for (const std::size_t number : numbers) out.push_back(values[number]);
  return out;
}

}  // namespace dlrun::samplers
