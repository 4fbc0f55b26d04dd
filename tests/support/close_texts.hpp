// SPDX-License-Identifier: Apache-2.0
// Texts with numbers that another processor rounds otherwise: words and counts must be equal, other numbers close.
#pragma once
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "util/json.hpp"

namespace dlrun::support {

/// Largest difference of two numbers that count as one: relative to the larger, and at all.
struct Closeness {
  double relative = 1e-3, absolute = 1e-6;
};

/// Length of the number that the text begins with; 0: it begins with none.
inline std::size_t number_length(std::string_view text, double& value) {
  if (text.empty() || !(std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '-')) return 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() ? std::size_t(end - text.data()) : 0;
}

inline bool are_close(std::string_view a, std::string_view b, double x, double y, const Closeness& limit) {
  if (a == b) return true;
  const auto is_count = [](std::string_view number) { return number.find_first_of(".e") == std::string_view::npos; };
  if (is_count(a) && is_count(b)) return false;
  return std::fabs(x - y) <= limit.absolute + limit.relative * std::max(std::fabs(x), std::fabs(y));
}

inline bool are_lines_close(std::string_view a, std::string_view b, const Closeness& limit) {
  bool is_in_word = false;
  while (!a.empty() && !b.empty()) {
    double x = 0, y = 0;
    const std::size_t n = is_in_word ? 0 : number_length(a, x), m = is_in_word ? 0 : number_length(b, y);
    if (n > 0 && m > 0) {
      if (!are_close(a.substr(0, n), b.substr(0, m), x, y, limit)) return false;
      a.remove_prefix(n), b.remove_prefix(m);
      is_in_word = true;
      continue;
    }
    if (a[0] != b[0]) return false;
    is_in_word = std::isalnum(static_cast<unsigned char>(a[0])) || a[0] == '_' || a[0] == '.';
    a.remove_prefix(1), b.remove_prefix(1);
  }
  return a.empty() && b.empty();
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The first lines that differ, each below the last one above it that begins with "= "; empty: the texts are close.
inline std::string difference(const std::string& recorded, const std::string& found, const Closeness& limit = {}) {
  const std::vector<std::string> a = lines_of(recorded), b = lines_of(found);
  std::string text, title;
  int count = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()) && count < 8; ++i) {
    const std::string was = i < a.size() ? a[i] : "(no line)", is = i < b.size() ? b[i] : "(no line)";
    if (was.starts_with("= ")) title = was + "\n";
    if (are_lines_close(was, is, limit)) continue;
    text += fmt::format("{}  recorded: {}\n  found:    {}\n", title, was, is);
    title.clear();
    ++count;
  }
  return text;
}

/// Every number of a JSON value with five digits.
inline void round_numbers(Json& json) {
  if (json.is_number_float()) json = std::strtod(fmt::format("{:.5g}", json.get<double>()).c_str(), nullptr);
  if (!json.is_structured()) return;
  for (Json& part : json) round_numbers(part);
}

/// HASH instead of every SHA-256, which depends on each bit of a file.
inline std::string without_hashes(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789abcdef", at), text.size());
    out += end - at == 64 ? "HASH" : text.substr(at, std::max<std::size_t>(end - at, 1));
    at = std::max(end, at + 1);
  }
  return out;
}

}  // namespace dlrun::support
