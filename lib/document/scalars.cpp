// SPDX-License-Identifier: Apache-2.0
#include "document/scalars.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "options/form.hpp"
#include "options/value.hpp"

namespace dlrun::document {

using options::Form;
using options::Key;

namespace {

std::string subject(const std::string& path) { return path.empty() ? "this" : "'" + path + "'"; }

std::string form_of(const Key& key) {
  switch (key.form) {
    case Form::boolean: return "true or false";
    case Form::integer: return "a whole number" + options::range_text(key);
    case Form::real: return "a number" + options::range_text(key);
    case Form::duration: return "a time" + options::range_text(key) + " in seconds, or as 500ms, 90s, 10m, 1h30m";
    case Form::plain: return "a single value";
    case Form::choice: return fmt::format("{}", fmt::join(key.choices, ", "));
    default: return "a text";
  }
}

/// Help towards the value that the person may have meant.
std::string hint_for(const Node& node, const Key& key) {
  std::string text = node.text;
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  if (key.form == Form::boolean) {
    if (text == "yes" || text == "on" || text == "true") return "write true";
    if (text == "no" || text == "off" || text == "false") return "write false";
    return {};
  }
  std::erase_if(text, [](char c) { return c == '_' || c == ',' || c == '\''; });
  Node cleaned = node;
  cleaned.is_plain = true;
  cleaned.text = text;
  const Scalar scalar = classify(cleaned);
  const bool is_number = std::holds_alternative<std::int64_t>(scalar) || std::holds_alternative<double>(scalar);
  if (!is_number) return {};
  if (const auto* real = std::get_if<double>(&scalar); real != nullptr && !std::isfinite(*real))
    return "it must be finite";
  if (text != node.text) return "write " + text;
  return node.is_plain ? std::string() : "remove the quotes";
}

Json fail(const Node& node, const Key& key, const std::string& path, Faults& faults) {
  const std::string words = key.words.empty() ? "" : fmt::format(", or {}", fmt::join(key.words, ", "));
  faults.at(path, fmt::format("{} must be {}{}, but is {}", subject(path), form_of(key), words, describe(node)),
            node.is_scalar() ? hint_for(node, key) : std::string());
  return nullptr;
}

Json read_number(const Node& node, const Key& key, const Scalar& scalar, const std::string& path, Faults& faults) {
  const std::int64_t* whole = std::get_if<std::int64_t>(&scalar);
  const double* fraction = std::get_if<double>(&scalar);
  const bool is_number = whole != nullptr || (fraction != nullptr && key.form != Form::integer);
  const double value = whole != nullptr ? double(*whole) : fraction != nullptr ? *fraction : 0;
  if (!is_number || !in_range(value, key)) return fail(node, key, path, faults);
  return key.form == Form::integer ? Json(*whole) : Json(value);
}

Json read_duration(const Node& node, const Key& key, const Scalar& scalar, const std::string& path, Faults& faults) {
  if (!std::holds_alternative<std::string>(scalar)) return read_number(node, key, scalar, path, faults);
  const std::optional<double> value = seconds(node.text);
  if (!value || !in_range(*value, key)) return fail(node, key, path, faults);
  return *value;
}

Json read_choice(const Node& node, const Key& key, const std::string& path, Faults& faults) {
  if (std::find(key.choices.begin(), key.choices.end(), node.text) != key.choices.end()) return node.text;
  faults.at(path, fmt::format("{} cannot be {}", subject(path), describe(node)), suggest(node.text, key.choices));
  return nullptr;
}

/// Was the value written with a reference to a variable? Quotes around it do not make a text of it.
bool has_reference(const Span& span) {
  if (!span.exists()) return false;
  const std::string_view line = span.source->line(span.line);
  return line.substr(std::size_t(span.column) - 1, std::size_t(span.length)).find("${") != std::string_view::npos;
}

/// A text may look like a number ("2024", "1.0"), but true and null are rather a mistake, unless a variable holds them.
Json read_text(const Node& node, const Key& key, const Scalar& scalar, const std::string& path, Faults& faults) {
  if (!std::holds_alternative<bool>(scalar) || has_reference(node.span)) return node.text;
  faults.at(path, fmt::format("{} must be {}, but is {}", subject(path), form_of(key), describe(node)),
            "put it in quotes");
  return nullptr;
}

}  // namespace

bool is_nothing(const Node& node) {
  return node.is_null() || (node.is_scalar() && std::holds_alternative<std::monostate>(classify(node)));
}

Json read_scalar(const Node& node, const Key& key, const std::string& path, Faults& faults) {
  if (node.is_list() || node.is_map() || is_nothing(node)) return fail(node, key, path, faults);
  if (std::find(key.words.begin(), key.words.end(), node.text) != key.words.end()) return node.text;
  if (key.form == Form::choice) return read_choice(node, key, path, faults);
  if (key.form == Form::plain) return read_value(node, path, faults);
  const Scalar scalar = classify(node);
  if (key.form == Form::text) return read_text(node, key, scalar, path, faults);
  if (const auto* bad = std::get_if<BadNumber>(&scalar)) {
    faults.at(path, bad->message, bad->help);
    return nullptr;
  }
  if (key.form == Form::duration) return read_duration(node, key, scalar, path, faults);
  if (key.form != Form::boolean) return read_number(node, key, scalar, path, faults);
  const bool* flag = std::get_if<bool>(&scalar);
  return flag == nullptr ? fail(node, key, path, faults) : Json(*flag);
}

Json read_value(const Node& node, const std::string& path, Faults& faults) {
  const Scalar scalar = classify(node);
  if (const auto* bad = std::get_if<BadNumber>(&scalar)) {
    faults.at(path, bad->message, bad->help);
    return nullptr;
  }
  if (const auto* real = std::get_if<double>(&scalar)) {
    if (std::isfinite(*real)) return *real;
    faults.at(path, subject(path) + " must be finite, but is " + describe(node));
    return nullptr;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&scalar)) return *whole;
  if (const auto* flag = std::get_if<bool>(&scalar)) return *flag;
  const auto* text = std::get_if<std::string>(&scalar);
  return text == nullptr ? Json() : Json(*text);
}

namespace {

/// Seconds of a unit; 0: there is none of the name.
double seconds_of(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
  for (const auto& [name, size] : kUnits) {
    if (name == unit) return size;
  }
  return 0;
}

bool is_digit(char c) { return (c >= '0' && c <= '9') || c == '.'; }

/// "12" or "1.5", short enough for a double.
bool is_count(std::string_view digits) {
  constexpr std::size_t kMostDigits = 12;
  const bool has_one_point = std::count(digits.begin(), digits.end(), '.') <= 1;
  return !digits.empty() && digits.size() <= kMostDigits && digits != "." && has_one_point;
}

}  // namespace

std::optional<double> seconds(const std::string& text) {
  double total = 0, last = std::numeric_limits<double>::infinity();
  for (auto at = text.begin(); at != text.end();) {
    const auto letters = std::find_if_not(at, text.end(), is_digit), next = std::find_if(letters, text.end(), is_digit);
    const std::string digits(at, letters);
    const double unit = seconds_of({letters, next});
    if (!is_count(digits) || unit == 0 || unit >= last) return std::nullopt;
    total += std::stod(digits) * unit;
    last = unit;
    at = next;
  }
  return text.empty() ? std::nullopt : std::optional(total);
}

}  // namespace dlrun::document
