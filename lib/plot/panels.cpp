// SPDX-License-Identifier: Apache-2.0
#include "plot/panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/palette.hpp"
#include "plot/script.hpp"

namespace dlrun::plot {

namespace {

constexpr int kTitle = 26;  // above each panel, pixels
constexpr int kLeft = 78, kRight = 20, kBottom = 52;

struct Grid {
  std::size_t columns, rows, panels;
  int top;  ///< above the first row of panels, with their titles
  PanelSize size;
  bool is_left(std::size_t panel) const { return panel % columns == 0; }
  bool is_lowest(std::size_t panel) const { return panel + columns >= panels; }
};

Margins place(const Picture& picture, const Grid& grid, std::size_t panel) {
  const std::size_t row = panel / grid.columns, column = panel % grid.columns;
  const double left = kLeft + double(column) * (grid.size.width + grid.size.gap);
  const double top = grid.top + double(row) * (grid.size.height + kTitle);
  return {left, picture.width - left - grid.size.width, top, picture.height - top - grid.size.height};
}

/// ('first' 0, 'second' 1), or without words where the panel has others below it.
std::string words_of(const Panels& chart, bool is_lowest) {
  std::string out;
  for (std::size_t i = 0; i < chart.x_words.size(); ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted_tick(is_lowest ? chart.x_words[i] : ""), i);
  }
  if (!out.empty()) return "(" + out + ")";
  return chart.x.high - chart.x.low <= 6 ? "1" : "autofreq";  // steps are whole numbers
}

std::string axes_of(const Panels& chart, const Grid& grid, std::size_t panel) {
  const bool is_left = grid.is_left(panel), is_lowest = grid.is_lowest(panel);
  std::string out = fmt::format("set xrange [{}:{}]\nset yrange [{}:{}]\n", number(chart.x.low), number(chart.x.high),
                                number(chart.y.low), number(chart.y.high));
  out += fmt::format("set xtics {} format {}\n", words_of(chart, is_lowest), is_lowest ? "'%g'" : "''");
  out += is_lowest ? fmt::format("set xlabel {} offset 0, 0.3\n", in_quotes(chart.x_axis)) : "unset xlabel\n";
  out += is_left ? fmt::format("set ytics format '%g'\nset ylabel {} offset 0,0\n", in_quotes(chart.y_axis))
                 : "set ytics format ''\nunset ylabel\n";
  return out;
}

}  // namespace

std::size_t columns_for(std::size_t panels) {
  if (panels <= 4) return panels;
  std::size_t best = 4;
  for (const std::size_t columns : {std::size_t(5), std::size_t(3)}) {
    const auto empty = [&](std::size_t n) { return (n - panels % n) % n; };
    if (empty(columns) < empty(best)) best = columns;
  }
  return best;
}

Picture panels(const Panels& chart, const std::function<std::string(std::size_t)>& plot) {
  Grid grid{columns_for(chart.titles.size()), 0, chart.titles.size(), 0, chart.size};
  grid.rows = (grid.panels + grid.columns - 1) / grid.columns;
  grid.top = int(heading_height(chart.remark, chart.key)) + kTitle;
  const PanelSize& size = chart.size;
  const int panels_width = kLeft + std::max(kRight, size.gap) + int(grid.columns) * (size.width + size.gap) - size.gap;
  Picture picture{chart.name, chart.title, 0, 0, {}};
  picture.width = std::max(panels_width, int(heading_width(chart.title, chart.remark, chart.key)));
  picture.height = grid.top + int(grid.rows) * (size.height + kTitle) - kTitle + kBottom;
  picture.program = style() + "set grid xtics ytics\n" + heading(picture, chart.remark, chart.key) + "set multiplot\n" +
                    data("nothing", {{chart.x.low, chart.y.low}});
  for (std::size_t i = 0; i < grid.panels; ++i) {
    picture.program += margins(picture, place(picture, grid, i)) + axes_of(chart, grid, i);
    picture.program += fmt::format("set title {} offset 0,-0.6 textcolor rgb '{}'\n",
                                   in_quotes(shortened(chart.titles[i], std::size_t(size.width / kLetter))), kText);
    picture.program += plot(i);
    if (i == 0) picture.program += "unset label\n";  // the heading is drawn once
  }
  picture.program += "unset multiplot\n";
  return picture;
}

}  // namespace dlrun::plot
