// SPDX-License-Identifier: Apache-2.0
#include "util/value_form.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/edit_distance.hpp"
#include "util/utf8.hpp"

namespace dlrun {

namespace {

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::size_t end = text.find(separator, at);
    parts.emplace_back(text.substr(at, end == std::string_view::npos ? end : end - at));
    at = end == std::string_view::npos ? end : end + separator.size();
  }
  return parts;
}

bool is_enum(const std::string& type) { return type.rfind("enum:", 0) == 0; }

std::vector<std::string> literals(const std::string& type) { return split(std::string_view(type).substr(5), "|"); }

bool in_range(const Json& number, const ValueForm& form) {
  const double value = number.get<double>();
  const std::optional<double> high = number.is_number_integer() && !form.high ? form.implied_high : form.high;
  return std::isfinite(value) && value >= form.low.value_or(-HUGE_VAL) && value <= high.value_or(HUGE_VAL);
}

bool is_int(const Json& value, const ValueForm& form) { return value.is_number_integer() && in_range(value, form); }

bool are_ints(const Json& value, const ValueForm& form, std::size_t least, std::size_t most) {
  return value.is_array() && value.size() >= least && value.size() <= most &&
         std::all_of(value.begin(), value.end(), [&](const Json& item) { return is_int(item, form); });
}

bool is_column(const Json& value) { return value.is_string() || value.is_number_integer(); }

bool are_columns(const Json& value) {
  return is_column(value) || (value.is_array() && std::all_of(value.begin(), value.end(), is_column));
}

/// One number in range, or a list of such.
bool are_numbers(const Json& value, const ValueForm& form) {
  const auto is_good = [&](const Json& item) { return item.is_number() && in_range(item, form); };
  return is_good(value) || (value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), is_good));
}

/// Any names, each with a text.
bool are_names(const Json& value) {
  return value.is_object() && std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_string(); });
}

/// Any names, each with columns.
bool are_named_columns(const Json& value) {
  return value.is_object() && std::all_of(value.begin(), value.end(), are_columns);
}

/// @param type one form, without "-or-".
bool has_one(const Json& value, const std::string& type, const ValueForm& form) {
  constexpr std::size_t kMostSizes = 4, kMostInts = 64;
  if (type == "int") return is_int(value, form);
  if (type == "float") return value.is_number() && in_range(value, form);
  if (type == "bool") return value.is_boolean();
  if (type == "string") return value.is_string();
  if (type == "pair") return are_ints(value, form, 2, 2);
  if (type == "shape") return are_ints(value, form, 1, kMostSizes);
  if (type == "ints") return are_ints(value, form, 1, kMostInts);
  if (type == "nodes") return value.is_array();
  if (type == "list") return are_columns(value);
  if (type == "map") return value.is_object();
  if (type == "numbers") return are_numbers(value, form);
  if (type == "names") return are_names(value);
  if (type == "columns") return are_named_columns(value);
  const std::vector<std::string> known = literals(type);
  return value.is_string() && std::find(known.begin(), known.end(), value.get<std::string>()) != known.end();
}

std::string describe_range(const ValueForm& form, const Json& found) {
  const bool is_beyond = found.is_number_integer() && form.implied_high && found.get<double>() > *form.implied_high;
  const std::optional<double> high = is_beyond && !form.high ? form.implied_high : form.high;
  if (form.low && high) return fmt::format(" from {} to {}", *form.low, *high);
  return form.low ? fmt::format(" of at least {}", *form.low) : "";
}

std::string describe_one(const std::string& type, const std::string& range) {
  if (type == "int") return "a whole number" + range;
  if (type == "float") return "a number" + range;
  if (type == "bool") return "true or false";
  if (type == "string") return "a text";
  if (type == "pair") return "a pair of them, [vertical, horizontal]";
  if (type == "shape") return "a list of one to four whole numbers" + range;
  if (type == "ints") return "a list of whole numbers" + range;
  if (type == "nodes") return "a list of layers";
  if (type == "list") return "a list of names or numbers";
  if (type == "map") return "a map";
  if (type == "numbers") return "a number" + range + " or a list of them";
  if (type == "names") return "a map of names to texts";
  if (type == "columns") return "a map of names to them";
  return fmt::format("one of {}", fmt::join(literals(type), ", "));
}

}  // namespace

bool has_form(const Json& value, const ValueForm& form) {
  const std::vector<std::string> types = split(form.type, "-or-");
  return std::any_of(types.begin(), types.end(), [&](const std::string& type) { return has_one(value, type, form); });
}

std::string describe_misfit(const std::string& name, const ValueForm& form, const Json& found) {
  std::vector<std::string> forms;
  for (const std::string& type : split(form.type, "-or-"))
    forms.push_back(describe_one(type, describe_range(form, found)));
  return fmt::format("'{}' must be {}, but is {}", name, fmt::join(forms, ", or "), quoted(found));
}

std::string hint_for_value(const ValueForm& form, const Json& found) {
  if (!found.is_string()) return {};
  for (const std::string& type : split(form.type, "-or-")) {
    const std::string nearest = is_enum(type) ? nearest_name(found.get<std::string>(), literals(type)) : "";
    if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  }
  return {};
}

std::string hint_for_name(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t kMostListed = 20;
  const std::string nearest = nearest_name(name, known);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  const auto end = known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kMostListed));
  return fmt::format("there are {}{}", fmt::join(known.begin(), end, ", "), end == known.end() ? "" : ", …");
}

std::string quoted(const Json& value) {
  constexpr std::size_t kLongest = 60;
  std::string text = to_text(value);
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && continues_character(text[end])) --end;  // not inside a character
  return text.substr(0, end) + "…";
}

}  // namespace dlrun
