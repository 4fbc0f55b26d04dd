// SPDX-License-Identifier: Apache-2.0
#include "util/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "util/visible.hpp"

namespace dlrun {

namespace {

constexpr int kDigits = 4;
constexpr double kSmallest = 1e-4;  // below, and from kLargest on, a power of ten is easier to read
constexpr double kLargest = 1e9;

bool is_plain(double value) { return value == 0 || (std::abs(value) >= kSmallest && std::abs(value) < kLargest); }

/// Decimals that show kDigits significant digits of `value`. REQUIRES: is_plain(value).
int decimals_of(double value) {
  constexpr double kTens[] = {1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
  if (value == 0) return 0;
  const auto passed = std::upper_bound(std::begin(kTens), std::end(kTens), std::abs(value)) - std::begin(kTens);
  return std::max(0, kDigits + 3 - int(passed));  // 1e-4, the smallest plain number, passes none
}

std::string trimmed(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Decimals that all cells of a column of fractions have; -1: each cell for itself.
int common_decimals(const std::vector<const Json*>& cells) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const Json* cell : cells) {
    if (!cell->is_number_float()) continue;
    const double size = std::abs(cell->get<double>());
    if (!std::isfinite(size) || !is_plain(size)) return -1;
    if (size == 0) continue;
    least = std::min(least, size);
    most = std::max(most, size);
  }
  if (most == 0 || most / least > 100) return -1;
  int needed = 0;  // no more decimals than the longest cell has to show
  for (const Json* cell : cells) {
    if (!cell->is_number_float()) continue;
    const std::string text = trimmed(fmt::format("{:.{}f}", cell->get<double>(), decimals_of(least)));
    const auto point = text.find('.');
    if (point != std::string::npos) needed = std::max(needed, int(text.size() - point - 1));
  }
  return needed;
}

}  // namespace

std::string short_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (!is_plain(value)) return fmt::format("{:.{}g}", value, kDigits);
  return trimmed(fmt::format("{:.{}f}", value, decimals_of(value)));
}

std::vector<std::string> column_text(const std::vector<const Json*>& cells) {
  const int decimals = common_decimals(cells);
  std::vector<std::string> texts;
  texts.reserve(cells.size());
  for (const Json* cell : cells) {
    if (cell->is_null()) {
      texts.emplace_back("-");
    } else if (cell->is_string()) {
      texts.push_back(visible(cell->get_ref<const std::string&>()));
    } else if (cell->is_number_float()) {
      const double value = cell->get<double>();
      texts.push_back(decimals >= 0 ? fmt::format("{:.{}f}", value, decimals) : short_number(value));
    } else {
      texts.push_back(visible(to_text(*cell)));
    }
  }
  return texts;
}

}  // namespace dlrun
