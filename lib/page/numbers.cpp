// SPDX-License-Identifier: Apache-2.0
#include "page/numbers.hpp"

#include <fmt/format.h>

#include <cmath>

namespace dlrun::page {

Json data_number(double value) {
  constexpr double kLargestWhole = 1e15;
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < kLargestWhole) return std::int64_t(value);
  return std::stod(fmt::format("{:.7g}", value));
}

}  // namespace dlrun::page
