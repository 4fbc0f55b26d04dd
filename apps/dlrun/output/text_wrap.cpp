// SPDX-License-Identifier: Apache-2.0
#include "text_wrap.hpp"

#include <sstream>
#include <string_view>

#include "text_width.hpp"

namespace dlrun::cli {

namespace {

/// The first `width` columns of a word that is wider.
std::string first_part(const std::string& word, std::size_t width) {
  constexpr std::string_view kMark = "…";
  const std::string part = cut(word + std::string(kMark), width + 1);  // too wide in any case
  return part.substr(0, part.size() - kMark.size());
}

}  // namespace

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  if (width == 0) return {text};
  std::vector<std::string> lines{""};
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::string& line = lines.back();
    if (!line.empty() && display_width(line) + 1 + display_width(word) <= width) {
      line += " " + word;
      continue;
    }
    if (!line.empty()) lines.emplace_back();
    while (display_width(word) > width) {
      const std::string part = first_part(word, width);
      if (part.empty()) break;  // a wide character on a page of one column
      lines.back() = part;
      lines.emplace_back();
      word.erase(0, part.size());
    }
    lines.back() = word;
  }
  return lines;
}

}  // namespace dlrun::cli
