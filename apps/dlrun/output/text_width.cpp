// SPDX-License-Identifier: Apache-2.0
#include "text_width.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace dlrun::cli {

namespace {

/// One character of UTF-8: its number and its length in bytes; `valid` false: one byte that is none.
struct Rune {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

Rune decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {first, 1, false};
  std::uint32_t code = first & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {first, 1, false};
    code = (code << 6) | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool valid = code >= kLeast[bytes] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return valid ? Rune{code, bytes, true} : Rune{first, 1, false};
}

/// Control characters of both blocks, and the marks that turn the direction of what follows.
bool steers(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x2028 || code == 0x2029 || code == 0xfeff;
}

std::string escaped(std::uint32_t code) {
  switch (code) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
  }
}

std::size_t width_of(std::uint32_t code) {
  const auto within = [&](std::uint32_t low, std::uint32_t high) { return code >= low && code <= high; };
  if (within(0x300, 0x36f) || within(0x200b, 0x200f) || within(0xfe00, 0xfe0f)) return 0;
  const bool wide = within(0x1100, 0x115f) || within(0x2e80, 0xa4cf) || within(0xac00, 0xd7a3) ||
                    within(0xf900, 0xfaff) || within(0xfe30, 0xfe6f) || within(0xff00, 0xff60) ||
                    within(0xffe0, 0xffe6) || within(0x1f300, 0x1faff) || within(0x20000, 0x3fffd);
  return wide ? 2 : 1;
}

}  // namespace

std::string visible(std::string_view text, bool keep_newlines) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Rune rune = decode(text.substr(i));
    const bool plain = rune.valid && (!steers(rune.code) || (keep_newlines && rune.code == '\n'));
    if (plain) {
      out.append(text, i, rune.bytes);
    } else {
      out += escaped(rune.code);
    }
    i += rune.bytes;
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Rune rune = decode(text.substr(i));
    width += width_of(rune.code);
    i += rune.bytes;
  }
  return width;
}

std::string cut(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t used = 0, end = 0;
  while (end < text.size()) {
    const Rune rune = decode(text.substr(end));
    if (used + width_of(rune.code) + 1 > width) break;
    used += width_of(rune.code);
    end += rune.bytes;
  }
  return std::string(text.substr(0, end)) + (width > 0 ? "…" : "");
}

}  // namespace dlrun::cli
