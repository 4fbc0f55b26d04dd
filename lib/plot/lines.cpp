// SPDX-License-Identifier: Apache-2.0
#include "plot/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "plot/palette.hpp"
#include "plot/panels.hpp"
#include "plot/script.hpp"

namespace dlrun::plot {

namespace {

struct Look {
  const char* color;
  Shape shape;
};

constexpr Look kLooks[] = {{kBlue, Shape::disc},          {kVermilion, Shape::square}, {kGreen, Shape::diamond},
                           {kPurple, Shape::open_circle}, {kText, Shape::open_square}, {kQuiet, Shape::cross}};
constexpr int kWidth = 230, kHeight = 190;  ///< size of a panel, pixels
constexpr double kWord = 13;                ///< pixels of a name's height

Range nothing_yet() { return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}; }

void widen(Range& range, double value) {
  range.low = std::min(range.low, value);
  range.high = std::max(range.high, value);
}

/// Room at both ends; something to draw on where there is no value.
Range ended(const Range& range) { return range.low <= range.high ? with_room(range) : Range{0, 1}; }

bool is_point(const Line& line, std::size_t i) { return std::isfinite(line.x[i]) && std::isfinite(line.y[i]); }

std::vector<std::string> names_of(const Lines& chart) {
  std::vector<std::string> names;
  for (const LinesPanel& panel : chart.panels) {
    for (const Line& line : panel.lines) {
      if (std::find(names.begin(), names.end(), line.name) == names.end()) names.push_back(line.name);
    }
  }
  return names;
}

const Look& look_of(const std::vector<std::string>& names, const LinesPanel& panel, std::size_t line) {
  const auto found = std::find(names.begin(), names.end(), panel.lines[line].name);
  const bool has_all = names.size() <= std::size(kLooks);
  return kLooks[(has_all ? std::size_t(found - names.begin()) : line) % std::size(kLooks)];
}

/// Heights of names beside the ends of their lines, moved apart so that all can be read.
std::vector<double> heights(const std::vector<double>& ends, const Range& range) {
  const double gap = kWord / kHeight * (range.high - range.low);
  std::vector<std::size_t> order(ends.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ends[a] < ends[b]; });
  std::vector<double> at = ends;
  for (std::size_t i = 1; i < order.size(); ++i) at[order[i]] = std::max(at[order[i]], at[order[i - 1]] + gap);
  double above = range.high;
  for (std::size_t i = order.size(); i > 0; --i) {
    at[order[i - 1]] = std::min(at[order[i - 1]], above);
    above = at[order[i - 1]] - gap;
  }
  return at;
}

double end_of(const Line& line) {
  double end = 0;
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    if (is_point(line, i)) end = line.y[i];
  }
  return end;
}

/// Names beside the panel, and its lines.
std::string drawn_lines(const Lines& chart, const Panels& all, std::size_t number) {
  const LinesPanel& panel = chart.panels[number];
  const std::vector<std::string> names = names_of(chart);
  std::vector<double> ends;
  for (const Line& line : panel.lines) ends.push_back(end_of(line));
  const std::vector<double> at = heights(ends, all.y);
  std::string blocks = number == 0 ? "" : "unset label\n", plots = fmt::format("plot {}", kNothing);
  for (std::size_t i = 0; i < panel.lines.size(); ++i) {
    const Line& line = panel.lines[i];
    const Look& look = look_of(names, panel, i);
    std::vector<std::vector<double>> rows;
    for (std::size_t k = 0; k < line.x.size(); ++k) {
      if (is_point(line, k)) rows.push_back({line.x[k], line.y[k]});
    }
    if (rows.empty()) continue;
    blocks += data(fmt::format("line{}", i), rows);
    blocks += fmt::format("set label {} at graph 1.04, first {} left front font ',11' tc rgb '{}'\n",
                          in_quotes(line.name), plot::number(at[i]), look.color);
    plots += fmt::format(", $line{} using 1:2 with linespoints lw 2 pt {} ps 0.7 lc rgb '{}' notitle", i,
                         int(look.shape), look.color);
  }
  return blocks + plots + "\n";
}

}  // namespace

Picture lines(const Lines& chart) {
  Panels all{chart.name, chart.title, chart.remark, chart.x_axis, chart.y_axis};
  Range x = nothing_yet(), y = nothing_yet();
  std::size_t longest = 0;
  for (const LinesPanel& panel : chart.panels) {
    all.titles.push_back(panel.title);
    for (const Line& line : panel.lines) {
      longest = std::max(longest, letters(line.name));
      for (std::size_t i = 0; i < line.x.size(); ++i) {
        if (is_point(line, i)) widen(x, line.x[i]), widen(y, line.y[i]);
      }
    }
  }
  all.x = ended(x);
  all.y = ended(y);
  all.x_words = chart.x_words;
  all.size = {kWidth, kHeight, int(double(longest) * kLetter) + 24};
  return panels(all, [&](std::size_t i) { return drawn_lines(chart, all, i); });
}

}  // namespace dlrun::plot
