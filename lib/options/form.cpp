// SPDX-License-Identifier: Apache-2.0
#include "options/form.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/value.hpp"
#include "util/edit_distance.hpp"
#include "util/hints.hpp"

namespace dlrun::options {

namespace {

constexpr std::size_t kMostSizes = 4, kMostIntegers = 64;

/// Bounds of a value's numbers.
struct Bounds {
  const Key& key;
  double most_integer;

  double high(const Json& number) const {
    return number.is_number_integer() && std::isinf(key.high) ? most_integer : key.high;
  }
  bool hold(const Json& number) const {
    const double value = number.get<double>();
    return in_range(value, key) && value <= high(number);
  }
};

template <class Test>
bool are_all(const Json& value, Test test) {
  return std::all_of(value.begin(), value.end(), test);
}

bool is_integer(const Json& value, const Bounds& bounds) { return value.is_number_integer() && bounds.hold(value); }

bool are_integers(const Json& value, const Bounds& bounds, std::size_t least, std::size_t most) {
  return value.is_array() && value.size() >= least && value.size() <= most &&
         are_all(value, [&](const Json& item) { return is_integer(item, bounds); });
}

bool are_numbers(const Json& value, const Bounds& bounds) {
  const auto is_good = [&](const Json& item) { return item.is_number() && bounds.hold(item); };
  return is_good(value) || (value.is_array() && !value.empty() && are_all(value, is_good));
}

bool is_column(const Json& value) { return value.is_string() || value.is_number_integer(); }

bool are_columns(const Json& value) { return is_column(value) || (value.is_array() && are_all(value, is_column)); }

bool has_one(const Json& value, Form form, const Bounds& bounds) {
  switch (form) {
    case Form::integer: return is_integer(value, bounds);
    case Form::real: return value.is_number() && bounds.hold(value);
    case Form::boolean: return value.is_boolean();
    case Form::text: return value.is_string();
    case Form::pair: return are_integers(value, bounds, 2, 2);
    case Form::shape: return are_integers(value, bounds, 1, kMostSizes);
    case Form::integers: return are_integers(value, bounds, 1, kMostIntegers);
    case Form::numbers: return are_numbers(value, bounds);
    case Form::nodes: return value.is_array();
    case Form::columns: return are_columns(value);
    case Form::named_columns: return value.is_object() && are_all(value, are_columns);
    case Form::names: return value.is_object() && are_all(value, [](const Json& item) { return item.is_string(); });
    case Form::table: return value.is_object();
    default: return false;
  }
}

bool is_among(const Json& value, const std::vector<std::string>& words) {
  return value.is_string() && std::find(words.begin(), words.end(), value.get_ref<const std::string&>()) != words.end();
}

/// The bounds of the key, and the limit of integers if the value is beyond it.
std::string describe_range(const Bounds& bounds, const Json& found) {
  Key bounded = bounds.key;
  const bool is_beyond = found.is_number_integer() && found.get<double>() > bounds.high(found);
  if (is_beyond) bounded.high = bounds.high(found);
  return range_text(bounded);
}

std::string describe_one(const Key& key, Form form, const std::string& range) {
  switch (form) {
    case Form::integer: return "a whole number" + range;
    case Form::real: return "a number" + range;
    case Form::boolean: return "true or false";
    case Form::text: return "a text";
    case Form::choice: return fmt::format("one of {}", fmt::join(key.choices, ", "));
    case Form::pair: return "a pair of them, [vertical, horizontal]";
    case Form::shape: return "a list of one to four whole numbers" + range;
    case Form::integers: return "a list of whole numbers" + range;
    case Form::numbers: return "a number" + range + " or a list of them";
    case Form::nodes: return "a list of layers";
    case Form::columns: return "a list of names or numbers";
    case Form::named_columns: return "a map of names to them";
    case Form::names: return "a map of names to texts";
    case Form::duration: return "seconds, or a text such as 500ms, 90s, 10m, 1h30m";
    case Form::plain: return "a text, a number, true or false";
    case Form::any: return "a value";
    default: return "a map";
  }
}

std::string describe_all(const Key& key, const std::string& range) {
  std::vector<std::string> allowed{describe_one(key, key.form, range)};
  for (const Form form : key.also) allowed.push_back(describe_one(key, form, range));
  if (!key.words.empty()) allowed.push_back(fmt::format("one of {}", fmt::join(key.words, ", ")));
  return fmt::format("{}", fmt::join(allowed, ", or "));
}

}  // namespace

std::string number_text(double value) {
  if (std::abs(value) < 1e15 && value == std::floor(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

std::string range_text(const Key& key) {
  const bool has_low = std::isfinite(key.low), has_high = std::isfinite(key.high);
  if (has_low && has_high && !key.is_above && !key.is_below) {
    return fmt::format(" from {} to {}", number_text(key.low), number_text(key.high));
  }
  std::string out;
  if (has_low) out += fmt::format(" {} {}", key.is_above ? "above" : "of at least", number_text(key.low));
  if (has_low && has_high) out += " and";
  if (has_high)
    out += fmt::format(" {} {}", key.is_below ? "below" : has_low ? "at most" : "of at most", number_text(key.high));
  return out;
}

bool takes(const Key& key, Form form) {
  return key.form == form || std::find(key.also.begin(), key.also.end(), form) != key.also.end();
}

bool has_form(const Json& value, const Key& key, double most_integer) {
  const Bounds bounds{key, most_integer};
  if (is_among(value, key.choices) || is_among(value, key.words) || has_one(value, key.form, bounds)) return true;
  return std::any_of(key.also.begin(), key.also.end(), [&](Form form) { return has_one(value, form, bounds); });
}

Json as_numbers(Json value, const Key& key) {
  if (key.form != Form::numbers) return value;
  if (value.is_number()) return value.get<double>();
  for (Json& item : value) item = item.get<double>();
  return value;
}

std::string describe_forms(const Key& key) { return describe_all(key, range_text(key)); }

std::string describe_misfit(const Key& key, const Json& found, double most_integer) {
  const std::string range = describe_range({key, most_integer}, found);
  return fmt::format("'{}' must be {}, but is {}", key.name, describe_all(key, range), quoted(found));
}

std::string hint_for_value(const Key& key, const Json& found) {
  if (!found.is_string()) return {};
  const std::string nearest = nearest_name(found.get<std::string>(), joined<std::string>({key.choices, key.words}));
  return nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest);
}

}  // namespace dlrun::options
