// SPDX-License-Identifier: Apache-2.0
#include "plot/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/palette.hpp"
#include "plot/script.hpp"

namespace dlrun::plot {

namespace {

constexpr std::size_t kMostColumnLetters = 24;
constexpr std::size_t kMostNumbers = 16;
constexpr double kSlope = 0.71;  // names of columns stand at 45 degrees

int side_of(std::size_t names) { return names <= 8 ? 58 : (names <= kMostNumbers ? 48 : 22); }

double largest_of(const HeatMap& chart) {
  double largest = 0;
  for (const HeatCell& cell : chart.cells) largest = std::max(largest, std::abs(cell.value));
  return largest > 0 ? largest : 1;
}

/// 'first' 0, 'second' 1
std::string column_ticks(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted_tick(shortened(names[i], kMostColumnLetters)), i);
  }
  return out;
}

/// The number and its asterisk, white on dark squares.
std::string words_in(const HeatMap& chart, double largest) {
  const int decimals = decimals_for(largest);
  const bool has_numbers = chart.names.size() <= kMostNumbers;
  std::string out;
  for (const HeatCell& cell : chart.cells) {
    const std::string text = (has_numbers ? signed_number(cell.value, decimals) : "") + (cell.is_marked ? "*" : "");
    if (text.empty()) continue;
    out += fmt::format("set label {} at {}, {} center front font ',{}' tc rgb '{}'\n", in_quotes(text), cell.column,
                       cell.row, has_numbers ? 10 : 14, std::abs(cell.value) > 0.6 * largest ? "#ffffff" : kText);
  }
  return out;
}

std::vector<std::vector<double>> squares(const HeatMap& chart) {
  std::vector<std::vector<double>> rows;
  for (const HeatCell& cell : chart.cells) {
    const double x = double(cell.column), y = double(cell.row);
    rows.push_back({x, y, x - 0.48, x + 0.48, y - 0.48, y + 0.48, cell.value});
  }
  return rows;
}

}  // namespace

Picture heat_map(const HeatMap& chart) {
  std::size_t longest = 0;
  for (const std::string& name : chart.names) longest = std::max(longest, std::min(letters(name), kMostColumnLetters));
  const double words = double(longest) * kLetter;
  const double side = double(side_of(chart.names.size()) * int(chart.names.size()));
  Picture picture{chart.name, chart.title, 0, 0, {}};
  const Margins at{words + 24, 120, heading_height(chart.remark, {}) + 8, words * kSlope + 36};
  picture.width = int(std::max(at.left + side + at.right, heading_width(chart.title, chart.remark, {})));
  const double right = picture.width - at.left - side;
  picture.height = int(at.top + std::max(side, 120.0) + at.bottom);
  const double largest = largest_of(chart);
  picture.program =
      style() + heading(picture, chart.remark, {}) +
      margins(picture, {at.left, right, at.top, picture.height - at.top - side}) + data("squares", squares(chart)) +
      words_in(chart, largest) +
      fmt::format(
          "unset grid\nset xrange [-0.5:{0}.5]\nset yrange [{0}.5:-0.5]\nset xtics rotate by 45 right ({1})\n"
          "set ytics ({1})\nset cbrange [{2}:{3}]\nset palette defined (-1 '#0b559f', -0.5 '#7fb0da', 0 '#f7f7f7', "
          "0.5 '#f2a65a', 1 '#b04a00')\n"
          "set colorbox user origin screen {4:.5f}, screen {5:.5f} size screen {6:.5f}, screen {7:.5f} noborder\n"
          "set cbtics nomirror format '%g'\nset cblabel {8} textcolor rgb '{9}'\n"
          "plot $squares using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid noborder lc palette notitle\n",
          int(chart.names.size()) - 1, column_ticks(chart.names), number(-largest), number(largest),
          (at.left + side + 24) / picture.width, 1 - (at.top + std::max(side, 120.0)) / picture.height,
          12.0 / picture.width, std::max(side, 120.0) / picture.height, in_quotes(chart.scale), kText);
  return picture;
}

}  // namespace dlrun::plot
