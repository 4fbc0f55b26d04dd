// SPDX-License-Identifier: Apache-2.0
#include "options/value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::options {

namespace {

/// "in [0, 1)"
std::string interval(const Key& key) {
  const bool is_open_below = key.is_above || !std::isfinite(key.low);
  const bool is_open_above = key.is_below || !std::isfinite(key.high);
  return fmt::format("in {}{}, {}{}", is_open_below ? '(' : '[', key.low, key.high, is_open_above ? ')' : ']');
}

}  // namespace

std::string place_of(const std::string& place, const std::string& name) {
  return place.empty() ? name : place + "." + name;
}

void refuse(const std::string& place, const Json& value, const std::string& wanted) {
  throw Error(ErrorKind::usage, fmt::format("{} is {}, but must be {}", place, to_text(value), wanted));
}

void refuse_name(const std::string& place, const std::string& name, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known);
  throw Error(ErrorKind::usage, fmt::format("{}: there is no '{}'", place, name),
              nearest.empty() ? fmt::format("known are {}", fmt::join(known, ", "))
                              : fmt::format("did you mean '{}'?", nearest));
}

Json as_map(const Json& section, const std::string& place, const std::string& list_kind) {
  if (section.is_null()) return Json::object();
  if (section.is_string()) return {{"op", section}};
  if (section.is_array() && !list_kind.empty()) return {{"op", list_kind}, {"parts", section}};
  if (!section.is_object()) throw Error(ErrorKind::usage, fmt::format("{} must be a map or a name", place));
  return section;
}

std::string op_of(const Json& map, const std::string& fallback) {
  const Json op = map.value("op", Json());
  return op.is_null() ? fallback : op.is_string() ? op.get<std::string>() : to_text(op);
}

bool in_range(double value, const Key& key) {
  return std::isfinite(value) && value >= key.low && value <= key.high && !(key.is_above && value == key.low) &&
         !(key.is_below && value == key.high);
}

const Json& value_of(const Json& section, const Key& key, const std::string& place) {
  const auto found = section.find(key.name);
  if (found != section.end() && !found->is_null()) return *found;
  if (key.required) throw Error(ErrorKind::usage, fmt::format("{} needs '{}'", place, key.name));
  return key.fallback;
}

void read_value(const Json& value, const Key& key, const std::string& place, double& out) {
  if (!value.is_number()) refuse(place, value, "a number");
  out = value.get<double>();
  if (!in_range(out, key)) refuse(place, value, interval(key));
}

void read_value(const Json& value, const Key& key, const std::string& place, std::int64_t& out) {
  if (!value.is_number_integer()) refuse(place, value, "a whole number");
  if (!in_range(value.get<double>(), key)) refuse(place, value, interval(key));
  out = value.get<std::int64_t>();
}

void read_value(const Json& value, const Key& key, const std::string& place, int& out) {
  std::int64_t number = 0;
  read_value(value, key, place, number);
  out = int(number);
}

void read_value(const Json& value, const Key&, const std::string& place, bool& out) {
  if (!value.is_boolean()) refuse(place, value, "true or false");
  out = value.get<bool>();
}

void read_value(const Json& value, const Key& key, const std::string& place, std::string& out) {
  out = value.is_string() ? value.get<std::string>() : to_text(value);
  const bool is_known = std::find(key.choices.begin(), key.choices.end(), out) != key.choices.end();
  if (key.form == Form::choice && !is_known) refuse_name(place, out, key.choices);
}

std::vector<Json> items_of(const Json& value, const Key& key, const std::string& place) {
  if (value.is_array()) return value.get<std::vector<Json>>();
  if (!key.allows_one) refuse(place, value, "a list");
  return {value};
}

}  // namespace dlrun::options
