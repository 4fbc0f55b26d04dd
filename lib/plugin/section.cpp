// SPDX-License-Identifier: Apache-2.0
#include "plugin/section.hpp"

namespace dlrun::plugin {

namespace {

std::vector<double> numbers_of(const Json& value) {
  if (value.is_number()) return {value.get<double>()};
  return value.get<std::vector<double>>();
}

OptionValue value_of(const Json& value, options::Form form) {
  if (value.is_null()) return std::monostate();
  if (form == options::Form::numbers || form == options::Form::integers) return numbers_of(value);
  if (value.is_boolean()) return value.get<bool>();
  if (form == options::Form::text && value.is_number()) return value.dump();
  if (form == options::Form::real || value.is_number_float()) return value.get<double>();
  if (value.is_number()) return value.get<std::int64_t>();
  return value.get<std::string>();
}

}  // namespace

Options options_of(const Json& section, const options::Table& table) {
  std::map<std::string, OptionValue> values;
  for (const options::Key& key : table) {
    const auto found = section.is_object() ? section.find(key.name) : section.end();
    values[key.name] = value_of(found == section.end() ? key.fallback : *found, key.form);
  }
  return Options(std::move(values));
}

}  // namespace dlrun::plugin
