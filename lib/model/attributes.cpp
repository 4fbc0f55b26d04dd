// SPDX-License-Identifier: Apache-2.0
#include "model/attributes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "util/value_form.hpp"

namespace dlrun::model {

namespace {

constexpr std::array<std::string_view, 7> kCommonKeys{"name", "op", "from", "tags", "role", "repeat", "share"};
constexpr double kMostInt = std::numeric_limits<std::int32_t>::max();

ValueForm form_of(const Attribute& attribute) { return {attribute.type, attribute.low, attribute.high, kMostInt}; }

/// One number for both directions; a whole number where a fraction is meant.
Json normal_form(const Attribute& attribute, const Json& value) {
  const bool is_pair = attribute.type.find("pair") != std::string::npos;
  if (is_pair && value.is_number()) return Json::array({value, value});
  if (attribute.type == "float" && value.is_number()) return value.get<double>();
  return value;
}

bool read_one(const Json& written, const Attribute& attribute, const std::string& path, Json& attributes,
              Faults& faults) {
  const auto found = written.find(attribute.name);
  if (found == written.end()) {
    attributes[attribute.name] = normal_form(attribute, attribute.fallback);
    if (!attribute.required) return true;
    faults.add({path, fmt::format("{} needs '{}'", written.value("op", "a layer"), attribute.name),
                fmt::format("{}: {}", attribute.name, attribute.text)});
    return false;
  }
  const ValueForm form = form_of(attribute);
  if (has_form(*found, form)) {
    attributes[attribute.name] = normal_form(attribute, *found);
    return true;
  }
  faults.add(
      {inside(path, attribute.name), describe_misfit(attribute.name, form, *found), hint_for_value(form, *found)});
  return false;
}

}  // namespace

std::string inside(const std::string& path, const std::string& key) { return path.empty() ? key : path + '.' + key; }

void check_keys(const Json& map, const std::vector<std::string>& known, const std::string& path,
                const std::string& what, Faults& faults) {
  for (const auto& [key, value] : map.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    faults.add({inside(path, key), fmt::format("{} has no '{}'", what, key), hint_for_name(key, known), Part::key});
  }
}

bool read_attributes(const Json& written, const LayerKind& kind, const std::string& path, Json& attributes,
                     Faults& faults) {
  std::vector<std::string> known;
  for (const Attribute& attribute : kind.attributes) known.push_back(attribute.name);
  known.insert(known.end(), kCommonKeys.begin(), kCommonKeys.end());
  check_keys(written, known, path, kind.op, faults);
  attributes = Json::object();
  bool is_usable = true;
  for (const Attribute& attribute : kind.attributes) {
    is_usable = read_one(written, attribute, path, attributes, faults) && is_usable;
  }
  return is_usable;
}

}  // namespace dlrun::model
