// SPDX-License-Identifier: Apache-2.0
// Words of the command line that mean trials or studies, so that no study can have them for a name.
#pragma once
#include <string_view>

namespace dlrun {

/// all, last, best, a number, or a range such as 3-7.
inline bool is_selector(std::string_view word) {
  if (word == "all" || word == "last" || word == "best") return true;
  const auto is_digits = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::size_t dash = word.find('-');
  return is_digits(word.substr(0, dash)) && (dash == std::string_view::npos || is_digits(word.substr(dash + 1)));
}

}  // namespace dlrun
