// SPDX-License-Identifier: Apache-2.0
#include "util/utf8.hpp"

#include <simdjson.h>
#include <utf8proc.h>

#include <algorithm>

namespace dlrun {

Character first_character(std::string_view text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  utf8proc_int32_t code = 0;
  const utf8proc_ssize_t length = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (length <= 0) return {bytes[0], 1, false};
  return {static_cast<std::uint32_t>(code), static_cast<std::size_t>(length), true};
}

std::size_t columns_of(std::uint32_t code) {
  return static_cast<std::size_t>(std::max(0, utf8proc_charwidth(static_cast<utf8proc_int32_t>(code))));
}

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text); }

}  // namespace dlrun
