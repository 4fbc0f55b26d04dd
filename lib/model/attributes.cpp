// SPDX-License-Identifier: Apache-2.0
#include "model/attributes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "util/edit_distance.hpp"

namespace dlrun::model {

namespace {

constexpr std::array<std::string_view, 5> kCommonKeys{"name", "op", "from", "tags", "role"};
constexpr std::int64_t kMostInt = std::numeric_limits<std::int32_t>::max();

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::size_t end = text.find(separator, at);
    parts.emplace_back(text.substr(at, end == std::string_view::npos ? end : end - at));
    at = end == std::string_view::npos ? end : end + separator.size();
  }
  return parts;
}

std::vector<std::string> literals(const std::string& form) { return split(std::string_view(form).substr(5), "|"); }

bool is_enum(const std::string& form) { return form.rfind("enum:", 0) == 0; }

bool in_range(const Json& number, const Attribute& attribute) {
  const double value = number.get<double>();
  const double high = attribute.high.value_or(number.is_number_integer() ? double(kMostInt) : HUGE_VAL);
  return std::isfinite(value) && value >= attribute.low.value_or(-HUGE_VAL) && value <= high;
}

bool is_int(const Json& value, const Attribute& attribute) {
  return value.is_number_integer() && in_range(value, attribute);
}

bool are_ints(const Json& value, const Attribute& attribute, std::size_t least, std::size_t most) {
  return value.is_array() && value.size() >= least && value.size() <= most &&
         std::all_of(value.begin(), value.end(), [&](const Json& item) { return is_int(item, attribute); });
}

/// Does the value have one of the forms that the attribute's type names?
bool has_form(const Json& value, const std::string& form, const Attribute& attribute) {
  constexpr std::size_t kMostSizes = 4;
  if (form == "int") return is_int(value, attribute);
  if (form == "float") return value.is_number() && in_range(value, attribute);
  if (form == "bool") return value.is_boolean();
  if (form == "string") return value.is_string();
  if (form == "pair") return are_ints(value, attribute, 2, 2);
  if (form == "shape") return are_ints(value, attribute, 1, kMostSizes);
  if (form == "nodes") return value.is_array();
  const std::vector<std::string> known = literals(form);
  return value.is_string() && std::find(known.begin(), known.end(), value.get<std::string>()) != known.end();
}

/// @param value what was found: only beyond what an int holds is that end worth naming.
std::string describe_range(const Attribute& attribute, const Json& value) {
  const bool is_huge = value.is_number_integer() && value.get<double>() > double(kMostInt);
  if (is_huge && !attribute.high) return fmt::format(" from {} to {}", attribute.low.value_or(0), kMostInt);
  if (attribute.low && attribute.high) return fmt::format(" from {} to {}", *attribute.low, *attribute.high);
  if (attribute.low) return fmt::format(" of at least {}", *attribute.low);
  return "";
}

std::string describe_form(const std::string& form, const Attribute& attribute, const Json& value) {
  const std::string range = describe_range(attribute, value);
  if (form == "int") return "a whole number" + range;
  if (form == "float") return "a number" + range;
  if (form == "bool") return "true or false";
  if (form == "string") return "a text";
  if (form == "pair") return "a pair of them, [vertical, horizontal]";
  if (form == "shape") return "a list of one to four whole numbers" + range;
  if (form == "nodes") return "a list of layers";
  return fmt::format("{}", fmt::join(literals(form), ", "));
}

std::string describe(const Attribute& attribute, const Json& value) {
  std::string text;
  for (const std::string& form : split(attribute.type, "-or-")) {
    text += (text.empty() ? "" : is_enum(form) ? ", or one of " : ", or ") + describe_form(form, attribute, value);
  }
  return is_enum(attribute.type) ? "one of " + text : text;
}

/// Where a text was written that is none of the known ones: the nearest.
std::string nearest_literal(const Attribute& attribute, const Json& value) {
  if (!value.is_string()) return {};
  for (const std::string& form : split(attribute.type, "-or-")) {
    if (!is_enum(form)) continue;
    const std::string nearest = nearest_name(value.get<std::string>(), literals(form));
    if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  }
  return {};
}

bool is_right(const Attribute& attribute, const Json& value) {
  const std::vector<std::string> forms = split(attribute.type, "-or-");
  return std::any_of(forms.begin(), forms.end(),
                     [&](const std::string& form) { return has_form(value, form, attribute); });
}

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
  if (is_right(attribute, *found)) {
    attributes[attribute.name] = normal_form(attribute, *found);
    return true;
  }
  faults.add({inside(path, attribute.name),
              fmt::format("'{}' must be {}, but is {}", attribute.name, describe(attribute, *found), quoted(*found)),
              nearest_literal(attribute, *found)});
  return false;
}

}  // namespace

bool is_common_key(const std::string& key) {
  return std::find(kCommonKeys.begin(), kCommonKeys.end(), key) != kCommonKeys.end();
}

std::string quoted(const Json& value) {
  constexpr std::size_t kLongest = 60;
  const std::string text = to_text(value);
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "…";
}

std::string inside(const std::string& path, const std::string& key) { return path.empty() ? key : path + '.' + key; }

bool check_keys(const Json& map, const std::vector<std::string>& known, const std::string& path,
                const std::string& what, Faults& faults) {
  bool is_good = true;
  for (const auto& [key, value] : map.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string nearest = nearest_name(key, known);
    faults.add({inside(path, key), fmt::format("{} has no '{}'", what, key),
                nearest.empty() ? fmt::format("it has {}", fmt::join(known, ", "))
                                : fmt::format("did you mean '{}'?", nearest)});
    is_good = false;
  }
  return is_good;
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
