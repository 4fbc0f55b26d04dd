// SPDX-License-Identifier: Apache-2.0
// The axis for values of an objective, few of which may be far off.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/script.hpp"
#include "report/picture_trials.hpp"
#include "statistics/summary.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

constexpr double kFence = 3;         // widths of the middle half beyond it
constexpr double kLeastShare = 0.5;  // share of the axis for most values
constexpr std::size_t kMostAxisLetters = 40;

/// End of an axis at its upper side, which is the bad one. `sorted` ascends and is not empty.
double fenced(const std::vector<double>& sorted) {
  const double low = sorted.front(), high = sorted.back();
  double upper = statistics::quantile(sorted, 0.75), width = upper - statistics::quantile(sorted, 0.25);
  if (!(width > 0)) {
    upper = statistics::quantile(sorted, 0.95);
    width = upper - statistics::quantile(sorted, 0.05);
  }
  if (!(width > 0)) return high;
  const double inside = *std::prev(std::upper_bound(sorted.begin(), sorted.end(), upper + kFence * width));
  return inside - low < kLeastShare * (high - low) ? inside : high;
}

/// The values as costs, ascending; of a logarithmic axis their logarithms.
std::vector<double> costs_of(const ShownGoal& goal, const std::vector<double>& values, bool is_log) {
  std::vector<double> costs;
  for (const double value : values) {
    const double at = is_log ? std::log10(value) : value;
    if (std::isfinite(at)) costs.push_back(goal.maximize ? -at : at);
  }
  std::sort(costs.begin(), costs.end());
  return costs;
}

}  // namespace

plot::Axis value_axis(const ShownGoal& goal, const std::vector<double>& values, bool is_log) {
  plot::Axis axis{plot::shortened(goal.metric, kMostAxisLetters), {0, 1}, is_log};
  const bool has_other = std::any_of(values.begin(), values.end(), [](double value) { return value <= 0; });
  if (is_log && has_other) {
    throw Error(ErrorKind::usage, fmt::format("a logarithmic axis needs values of {} above 0", goal.metric),
                "leave out --log");
  }
  if (is_log) axis.range = {0.1, 1};
  const std::vector<double> costs = costs_of(goal, values, is_log);
  if (costs.empty()) return axis;
  double low = costs.front(), high = fenced(costs);
  if (goal.maximize) std::tie(low, high) = std::pair(-high, -low);
  axis.range = is_log ? plot::Range{std::pow(10, low), std::pow(10, high)} : plot::Range{low, high};
  return axis;
}

std::string beyond_text(const plot::Axis& axis, const std::vector<double>& values) {
  const plot::Range ends = plot::places(axis);
  const auto count = std::count_if(values.begin(), values.end(), [&](double value) {
    const double at = plot::place(axis, value);
    return at < ends.low || at > ends.high;
  });
  return count == 0 ? "" : fmt::format("; {} beyond the axis", count);
}

}  // namespace dlrun::report
