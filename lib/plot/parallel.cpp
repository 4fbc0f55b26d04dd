// SPDX-License-Identifier: Apache-2.0
#include "plot/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/script.hpp"

namespace dlrun::plot {

namespace {

constexpr int kAxisHeight = 280;                    // pixels
constexpr double kLeastStep = 96, kMostStep = 170;  // from axis to axis
constexpr double kBeforeFirst = 24, kLeastBehind = 60, kAboveAxes = 12, kBelowAxes = 34;
constexpr double kNowhere = -0.12;  // height of a line that has no value, of the axis' 1

/// Part of the axis below a value.
double height_on(const Axis& axis, double value) {
  const Range ends = places(axis);
  const double at = (place(axis, value) - ends.low) / (ends.high - ends.low);
  return std::isfinite(at) ? std::clamp(at, 0.0, 1.0) : kNowhere;
}

bool passes_below(const Parallel& chart) {
  return std::any_of(chart.lines.begin(), chart.lines.end(), [](const ParallelLine& line) {
    return std::any_of(line.values.begin(), line.values.end(), [](double value) { return std::isnan(value); });
  });
}

double step_of(const Parallel& chart) {
  double step = kLeastStep;
  for (const Axis& axis : chart.axes) {
    step = std::max({step, ticks_beside(axis, kAxisHeight).width + 28, double(letters(axis.title)) * kLetter + 16});
  }
  return std::min(step, kMostStep);
}

std::string label(const std::string& word, double x, double y, const char* where, const char* color) {
  return fmt::format("set label {} at first {}, first {} {} tc rgb '{}' front boxed\n", in_quotes(word), number(x),
                     number(y), where, color);
}

std::string fitted_name(const Axis& axis, double step) {
  return shortened(axis.title, std::size_t((step - 8) / kLetter));
}

/// The axis itself, its words and its name.
std::string drawn_axis(const Parallel& chart, std::size_t number, double step) {
  const Axis& axis = chart.axes[number];
  const auto x = double(number);
  const Range ends = places(axis);
  std::string out = fmt::format("set arrow from {0}, 0 to {0}, 1 nohead front lw 1 lc rgb '{1}'\n", number, kQuiet);
  for (const Tick& tick : ticks_beside(axis, kAxisHeight).all) {
    const double y = (tick.at - ends.low) / (ends.high - ends.low);
    out += label(tick.word, x, y, "right offset character -0.7, 0 font ',11'", kText);
  }
  return out + fmt::format("set label {} at first {}, graph 0 center offset character 0, -1 tc rgb '{}'\n",
                           in_quotes(fitted_name(axis, step)), number, kText);
}

std::string lines_of(const Parallel& chart, std::size_t group) {
  std::vector<std::vector<double>> rows;
  for (const ParallelLine& line : chart.lines) {
    if (line.group != group) continue;
    for (std::size_t i = 0; i < line.values.size(); ++i)
      rows.push_back({double(i), height_on(chart.axes[i], line.values[i])});
    rows.emplace_back();
  }
  return rows.empty() ? "" : data(fmt::format("lines{}", group), rows);
}

}  // namespace

Picture parallel(const Parallel& chart) {
  const double step = step_of(chart);
  const bool has_below = passes_below(chart);
  const double behind = double(letters(fitted_name(chart.axes.back(), step))) * kLetter / 2 + 8;
  const Margins at{step + kBeforeFirst, std::max(kLeastBehind, behind),
                   heading_height(chart.remark, chart.groups) + kAboveAxes, kBelowAxes};
  const double low = has_below ? kNowhere - 0.05 : 0;
  Picture picture{chart.name, chart.title, 0, 0, {}};
  const double width = double(chart.axes.size() - 1) * step;
  picture.width = int(std::max(at.left + width + at.right, heading_width(chart.title, chart.remark, chart.groups)));
  picture.height = int(at.top + at.bottom + kAxisHeight * (1 - low));
  picture.program = style() + heading(picture, chart.remark, chart.groups) +
                    margins(picture, {at.left, picture.width - at.left - width, at.top, at.bottom}) +
                    fmt::format(
                        "set style textbox opaque margins 0.4, 0.3 fillcolor rgb '#ffffff' noborder\n"
                        "unset grid\nunset xtics\nunset ytics\nset xrange [0:{}]\nset yrange [{}:1]\n",
                        chart.axes.size() - 1, number(low));
  for (std::size_t i = 0; i < chart.axes.size(); ++i) picture.program += drawn_axis(chart, i, step);
  if (has_below)
    picture.program += label(chart.below, 0, kNowhere, "right offset character -0.7, 0 font ',11'", kQuiet);
  std::string plots = data("nothing", {{0, 0}}) + "plot $nothing using 1:2 with dots lc rgb 'white' notitle";
  for (std::size_t group = 0; group < chart.groups.size(); ++group) {
    const std::string block = lines_of(chart, group);
    picture.program += block;
    if (block.empty()) continue;
    plots += fmt::format(", $lines{} using 1:2 with lines lw {} lc rgb '{}' notitle", group,
                         group + 1 == chart.groups.size() ? 2.5 : 1, chart.groups[group].color);
  }
  picture.program += plots + "\n";
  return picture;
}

}  // namespace dlrun::plot
