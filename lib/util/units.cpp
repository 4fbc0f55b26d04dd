// SPDX-License-Identifier: Apache-2.0
#include "util/units.hpp"

#include <fmt/format.h>

#include <iterator>

namespace dlrun {

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, bytes < 9.95 && unit > 0 ? 1 : 0, units[unit]);
}

std::string grouped(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (int at = int(digits.size()) - 3; at > 0; at -= 3) digits.insert(std::size_t(at), 1, ',');
  return digits;
}

}  // namespace dlrun
