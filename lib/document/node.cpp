// SPDX-License-Identifier: Apache-2.0
#include "document/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace dlrun::document {

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

Entry* Node::find_entry(std::string_view key) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

std::size_t skip_sign(std::string_view text, std::size_t at = 0) {
  return at < text.size() && (text[at] == '-' || text[at] == '+') ? at + 1 : at;
}

bool looks_integer(std::string_view text) {
  const std::size_t start = skip_sign(text);
  return start < text.size() && skip_digits(text, start) == text.size();
}

/// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool looks_real(std::string_view text) {
  const std::size_t start = skip_sign(text);
  std::size_t at = skip_digits(text, start);
  std::size_t digits = at - start;
  if (at < text.size() && text[at] == '.') {
    const std::size_t end = skip_digits(text, at + 1);
    digits += end - at - 1;
    at = end;
  }
  if (digits == 0) return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  const std::size_t exponent = skip_sign(text, at + 1);
  return exponent < text.size() && skip_digits(text, exponent) == text.size();
}

std::string without_leading_zeros(std::string_view text) {
  const std::size_t sign = skip_sign(text);
  std::size_t at = sign;
  while (at + 1 < text.size() && text[at] == '0') ++at;
  return std::string(text.substr(0, sign)) + std::string(text.substr(at));
}

Scalar parse_based(std::string_view digits, int base, const std::string& text) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || end != digits.data() + digits.size() || digits[0] == '-') return text;
  if (fault != std::errc()) return BadNumber{quote(text) + " does not fit into 64 bits", {}};
  return value;
}

Scalar parse_integer(const std::string& text) {
  const std::size_t sign = skip_sign(text);
  if (text.size() - sign > 1 && text[sign] == '0') {
    const std::string decimal = without_leading_zeros(text);
    const bool may_be_octal = text.find_first_of("89-+") == std::string::npos;
    return BadNumber{quote(text) + " is octal to some readers and decimal to others",
                     "write " + decimal + (may_be_octal ? ", or 0o" + decimal + " for octal" : "")};
  }
  std::int64_t value = 0;
  const char* begin = text.data() + (text[0] == '+' ? 1 : 0);
  const auto [end, fault] = std::from_chars(begin, text.data() + text.size(), value);
  if (fault != std::errc()) return BadNumber{quote(text) + " does not fit into 64 bits", {}};
  return value;
}

Scalar parse_real(const std::string& text) {
  double value = 0;
  const char* begin = text.data() + (text[0] == '+' ? 1 : 0);
  const auto [end, fault] = std::from_chars(begin, text.data() + text.size(), value);
  if (fault != std::errc()) return BadNumber{quote(text) + " is beyond the range of a 64-bit real", {}};
  return value;
}

std::optional<double> parse_special(std::string_view text) {
  if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return std::numeric_limits<double>::quiet_NaN();
  const std::string_view body = text.substr(skip_sign(text));
  if (!is_one_of(body, {".inf", ".Inf", ".INF"})) return std::nullopt;
  const double infinity = std::numeric_limits<double>::infinity();
  return text[0] == '-' ? -infinity : infinity;
}

}  // namespace

Scalar classify(const Node& node) {
  if (node.is_null()) return std::monostate();
  const std::string& text = node.text;
  if (!node.is_plain) return text;
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return std::monostate();
  if (is_one_of(text, {"true", "True", "TRUE"})) return true;
  if (is_one_of(text, {"false", "False", "FALSE"})) return false;
  if (text.starts_with("0x")) return parse_based(std::string_view(text).substr(2), 16, text);
  if (text.starts_with("0o")) return parse_based(std::string_view(text).substr(2), 8, text);
  if (looks_integer(text)) return parse_integer(text);
  if (looks_real(text)) return parse_real(text);
  if (const auto special = parse_special(text)) return *special;
  return text;
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null: return "nothing";
    case Node::Kind::list: return "a list";
    case Node::Kind::map: return "a map";
    case Node::Kind::scalar: break;
  }
  return quote(node.text);
}

}  // namespace dlrun::document
