// SPDX-License-Identifier: Apache-2.0
#include "model/attributes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "options/form.hpp"
#include "options/value.hpp"
#include "util/hints.hpp"

namespace dlrun::model {

namespace {

constexpr std::array<std::string_view, 7> kCommonKeys{"name", "op", "from", "tags", "role", "repeat", "share"};
constexpr double kMostInt = std::numeric_limits<std::int32_t>::max();

/// One number for both directions; a whole number where a fraction is meant.
Json normal_form(const options::Key& attribute, const Json& value) {
  if (takes(attribute, Form::pair) && value.is_number()) return Json::array({value, value});
  if (attribute.form == Form::real && value.is_number()) return value.get<double>();
  return value;
}

bool read_one(const Json& written, const options::Key& attribute, const std::string& path, Json& attributes,
              Faults& faults) {
  const auto found = written.find(attribute.name);
  if (found == written.end()) {
    attributes[attribute.name] = normal_form(attribute, attribute.fallback);
    if (!attribute.required) return true;
    faults.add({path, fmt::format("{} needs '{}'", written.value("op", "a layer"), attribute.name),
                fmt::format("{}: {}", attribute.name, attribute.text)});
    return false;
  }
  if (has_form(*found, attribute, kMostInt)) {
    attributes[attribute.name] = normal_form(attribute, *found);
    return true;
  }
  faults.add({options::place_of(path, attribute.name), describe_misfit(attribute, *found, kMostInt),
              hint_for_value(attribute, *found)});
  return false;
}

}  // namespace

void check_keys(const Json& map, const std::vector<std::string>& known, const std::string& path,
                const std::string& what, Faults& faults) {
  for (const auto& [key, value] : map.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    faults.add(
        {options::place_of(path, key), fmt::format("{} has no '{}'", what, key), hint_for_name(key, known), Part::key});
  }
}

bool read_attributes(const Json& written, const options::Variant& kind, const std::string& path, Json& attributes,
                     Faults& faults) {
  std::vector<std::string> known;
  for (const options::Key& attribute : kind.table) known.push_back(attribute.name);
  known.insert(known.end(), kCommonKeys.begin(), kCommonKeys.end());
  check_keys(written, known, path, kind.name, faults);
  attributes = Json::object();
  bool is_usable = true;
  for (const options::Key& attribute : kind.table) {
    is_usable = read_one(written, attribute, path, attributes, faults) && is_usable;
  }
  return is_usable;
}

}  // namespace dlrun::model
