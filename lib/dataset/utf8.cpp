// SPDX-License-Identifier: Apache-2.0
// Names from files end up in messages, JSON and SQL, so they must be valid UTF-8.
#include <fmt/format.h>

#include "dataset/column.hpp"
#include "dataset/dataset.hpp"

namespace dlrun::dataset {

namespace {

/// Length of the character that `lead` begins, 0 where none does (RFC 3629).
int length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/// No overlong forms, no surrogates, nothing above U+10FFFF.
bool is_good_second(unsigned char lead, unsigned char second) {
  if (lead == 0xe0) return second >= 0xa0;
  if (lead == 0xed) return second <= 0x9f;
  if (lead == 0xf0) return second >= 0x90;
  return lead != 0xf4 || second <= 0x8f;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const int length = length_of(lead);
    if (length == 0 || at + length > text.size()) return false;
    for (int i = 1; i < length; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      if ((next & 0xc0) != 0x80 || (i == 1 && !is_good_second(lead, next))) return false;
    }
    at += length;
  }
  return true;
}

}  // namespace

void require_utf8(std::string_view text, const std::string& what, const std::string& file) {
  if (is_utf8(text)) return;
  throw DataError("path", fmt::format("{} is not valid UTF-8", what), "save the file as UTF-8", file);
}

}  // namespace dlrun::dataset
