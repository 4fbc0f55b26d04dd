// SPDX-License-Identifier: Apache-2.0
#include "util/hints.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/edit_distance.hpp"
#include "util/utf8.hpp"

namespace dlrun {

std::string hint_for_name(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t kMostListed = 20;
  const std::string nearest = nearest_name(name, known);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  const auto end = known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kMostListed));
  return fmt::format("there are {}{}", fmt::join(known.begin(), end, ", "), end == known.end() ? "" : ", …");
}

std::string quoted(const Json& value) {
  constexpr std::size_t kLongest = 60;
  std::string text = to_text(value);
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && continues_character(text[end])) --end;  // not inside a character
  return text.substr(0, end) + "…";
}

}  // namespace dlrun
