// SPDX-License-Identifier: Apache-2.0
// Cases in one text file, each behind a line "=== name".
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace dlrun::support {

/// Parts of a text, each behind a line that begins with `mark`: the rest of that line, and what follows it.
inline std::vector<std::pair<std::string, std::string>> parts_of(const std::string& text, const std::string& mark) {
  std::vector<std::pair<std::string, std::string>> parts;
  for (std::size_t at = text.find(mark); at != std::string::npos;) {
    const std::size_t line = text.find('\n', at), end = text.find('\n' + mark, line);
    const std::size_t begin = at + mark.size();
    parts.emplace_back(text.substr(begin, line - begin),
                       text.substr(line + 1, end == std::string::npos ? end : end - line));
    at = end == std::string::npos ? end : end + 1;
  }
  return parts;
}

/// The part with the first difference of two texts, as each has it, of a long part its end; empty texts where they are
/// equal.
inline std::pair<std::string, std::string> first_difference(const std::string& a, const std::string& b,
                                                            const std::string& mark) {
  constexpr std::size_t kMost = 2000;
  const auto differs = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (differs.first == a.end() && differs.second == b.end()) return {};
  const auto place = std::size_t(differs.first - a.begin());
  const std::size_t at = a.rfind('\n' + mark, place), near = place - std::min(place, kMost / 2);
  const std::size_t begin = std::max(at == std::string::npos ? 0 : at, near);
  return {a.substr(begin, kMost), b.substr(std::min(begin, b.size()), kMost)};
}

}  // namespace dlrun::support
