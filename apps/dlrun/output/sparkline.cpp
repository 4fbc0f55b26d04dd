// SPDX-License-Identifier: Apache-2.0
#include "output/sparkline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace dlrun::cli {

namespace {

constexpr std::string_view kLevels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr int kTop = 7, kMiddle = 3;

/// One value a column.
std::vector<double> sampled(const std::vector<double>& values, std::size_t columns) {
  if (values.size() <= columns) return values;
  std::vector<double> out(columns);
  for (std::size_t i = 0; i < columns; ++i) out[i] = values[(i + 1) * values.size() / columns - 1];
  return out;
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

Range range_of(const std::vector<double>& values) {
  Range range;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range;
}

/// Halves are compared, because the difference of two large numbers may be infinite.
std::string_view level(double value, const Range& range) {
  if (!std::isfinite(value)) return "x";
  if (range.low == range.high) return kLevels[kMiddle];
  const double share = (value / 2 - range.low / 2) / (range.high / 2 - range.low / 2);
  return kLevels[std::clamp(int(std::lround(share * kTop)), 0, kTop)];
}

}  // namespace

std::string sparkline(const std::vector<double>& values, std::size_t columns) {
  const std::vector<double> shown = sampled(values, columns);
  const Range range = range_of(shown);
  std::string text;
  for (const double value : shown) text += level(value, range);
  return text;
}

}  // namespace dlrun::cli
