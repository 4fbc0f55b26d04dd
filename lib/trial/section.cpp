// SPDX-License-Identifier: Apache-2.0
#include "trial/section.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::trial {

namespace {

[[noreturn]] void refuse_name(const std::string& place, const std::string& name,
                              const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known);
  throw Error(ErrorKind::usage, fmt::format("{}: there is no '{}'", place, name),
              nearest.empty() ? fmt::format("known are {}", fmt::join(known, ", "))
                              : fmt::format("did you mean '{}'?", nearest));
}

bool is_among(const std::string& name, const std::vector<std::string>& known) {
  return std::find(known.begin(), known.end(), name) != known.end();
}

}  // namespace

Section::Section(const Json& trial, std::string place, const std::string& list_op) : place_(std::move(place)) {
  const auto found = trial.find(place_);
  if (found == trial.end() || found->is_null()) return;
  json_ = *found;
  if (found->is_string()) json_ = Json{{"op", *found}};
  if (found->is_array() && !list_op.empty()) json_ = Json{{"op", list_op}, {"parts", *found}};
  check_is_map();
}

void Section::check_is_map() const {
  if (!json_.is_object()) throw Error(ErrorKind::usage, fmt::format("{} must be a map or a name", place_));
}

Json Section::get(const char* key) const { return json_.value(key, Json()); }

void Section::refuse(const char* key, const std::string& wanted) const {
  throw Error(ErrorKind::usage, fmt::format("{}.{} is {}, but must be {}", place_, key, to_text(get(key)), wanted));
}

std::string Section::op(const std::string& fallback, const std::vector<std::string>& known) const {
  return word("op", fallback, known);
}

std::string Section::word(const char* key, const std::string& fallback, const std::vector<std::string>& known) const {
  std::string name = text(key, fallback);
  if (!is_among(name, known)) refuse_name(place_ + "." + key, name, known);
  return name;
}

std::string Section::text(const char* key, const std::string& fallback) const {
  const Json value = get(key);
  return value.is_null() ? fallback : value.is_string() ? value.get<std::string>() : to_text(value);
}

double Section::number(const char* key, double fallback, double low, double high) const {
  return optional_number(key, low, high).value_or(fallback);
}

std::optional<double> Section::optional_number(const char* key, double low, double high) const {
  const Json value = get(key);
  if (value.is_null()) return std::nullopt;
  if (!value.is_number()) refuse(key, "a number");
  const double number = value.get<double>();
  if (!(number >= low && number <= high)) refuse(key, fmt::format("in [{}, {}]", low, high));
  return number;
}

std::int64_t Section::integer(const char* key, std::int64_t fallback, std::int64_t low, std::int64_t high) const {
  const Json value = get(key);
  if (value.is_null()) return fallback;
  if (!value.is_number_integer()) refuse(key, "a whole number");
  const double number = value.get<double>();
  if (number < double(low) || number > double(high)) refuse(key, fmt::format("in [{}, {}]", low, high));
  return value.get<std::int64_t>();
}

bool Section::flag(const char* key, bool fallback) const {
  const Json value = get(key);
  if (value.is_null()) return fallback;
  if (!value.is_boolean()) refuse(key, "true or false");
  return value.get<bool>();
}

std::pair<double, double> Section::betas(double first, double second) const {
  if (!has("betas")) return {first, second};
  const std::vector<double> values = numbers("betas", 0, 1);
  if (values.size() != 2) refuse("betas", "a list of two numbers");
  if (values[0] == 1 || values[1] == 1) refuse("betas", "in [0, 1)");
  return {values[0], values[1]};
}

std::vector<double> Section::numbers(const char* key, double low, double high) const {
  const Json value = get(key);
  if (!value.is_array()) refuse(key, "a list of numbers");
  std::vector<double> result;
  for (const Json& item : value) {
    if (!item.is_number()) refuse(key, "a list of numbers");
    result.push_back(item.get<double>());
    if (!(result.back() >= low && result.back() <= high)) refuse(key, fmt::format("in [{}, {}]", low, high));
  }
  return result;
}

std::vector<std::string> Section::texts(const char* key) const {
  const Json value = get(key);
  if (value.is_null()) return {};
  std::vector<std::string> result;
  for (const Json& item : value.is_array() ? value : Json::array({value})) {
    if (!item.is_string()) refuse(key, "a list of names");
    result.push_back(item.get<std::string>());
  }
  return result;
}

std::vector<Section> Section::parts(const char* key) const {
  const Json value = get(key);
  if (value.is_null()) return {};
  if (!value.is_array()) refuse(key, "a list");
  std::vector<Section> result;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Json& item = value[i];
    result.emplace_back(fmt::format("{}.{}.{}", place_, key, i), item.is_string() ? Json{{"op", item}} : item);
  }
  return result;
}

}  // namespace dlrun::trial
