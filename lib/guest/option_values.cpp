// SPDX-License-Identifier: Apache-2.0
#include "guest/option_values.hpp"

namespace dlrun::guest {

namespace {

std::vector<double> numbers_of(const Json& json) {
  return json.is_array() ? json.get<std::vector<double>>() : std::vector{json.get<double>()};
}

plugin::OptionValue value_of(const Json& json, const options::Key& key) {
  using options::Form;
  if (json.is_null()) return {};
  if (key.form == Form::integers || key.form == Form::numbers) return numbers_of(json);
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

}  // namespace

plugin::Options option_values(const Json& section, const options::Table& keys) {
  std::map<std::string, plugin::OptionValue> values;
  for (const options::Key& key : keys) values[key.name] = value_of(section.value(key.name, key.fallback), key);
  return plugin::Options(std::move(values));
}

}  // namespace dlrun::guest
