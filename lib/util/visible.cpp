// SPDX-License-Identifier: Apache-2.0
#include "util/visible.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "util/utf8.hpp"

namespace dlrun {

namespace {

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

}  // namespace

std::string visible(std::string_view text, bool keep_newlines) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Character character = first_character(text.substr(i));
    const bool plain = character.is_valid && (!steers(character.code) || (keep_newlines && character.code == '\n'));
    if (plain) {
      out.append(text, i, character.bytes);
    } else {
      out += escaped(character.code);
    }
    i += character.bytes;
  }
  return out;
}

}  // namespace dlrun
