// SPDX-License-Identifier: Apache-2.0
#include "text_width.hpp"

#include "util/utf8.hpp"

namespace dlrun::cli {

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Character character = first_character(text.substr(i));
    width += columns_of(character.code);
    i += character.bytes;
  }
  return width;
}

std::string cut(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t used = 0, end = 0;
  while (end < text.size()) {
    const Character character = first_character(text.substr(end));
    if (used + columns_of(character.code) + 1 > width) break;
    used += columns_of(character.code);
    end += character.bytes;
  }
  return std::string(text.substr(0, end)) + (width > 0 ? "…" : "");
}

}  // namespace dlrun::cli
