// SPDX-License-Identifier: Apache-2.0
// UTF-8 text, character by character (RFC 3629).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dlrun {

/// One character of a text.
struct Character {
  std::uint32_t code = 0;  ///< in Unicode; of a byte that begins no valid character: the byte
  std::size_t bytes = 1;
  bool is_valid = false;
};

/// The first character of a text. Overlong forms, surrogates, numbers above U+10FFFF and cut characters are not valid.
/// REQUIRES: text is not empty.
Character first_character(std::string_view text);

/// Columns that a character takes in a terminal: 2 for East Asian wide ones and emoji, 0 for combining marks, else 1.
std::size_t columns_of(std::uint32_t code);

/// Whether the byte is a second or later one of a character.
constexpr bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Whether all of the text is valid UTF-8.
bool is_utf8(std::string_view text);

}  // namespace dlrun
