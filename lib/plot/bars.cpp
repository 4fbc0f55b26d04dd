// SPDX-License-Identifier: Apache-2.0
#include "plot/bars.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plot/axis.hpp"
#include "plot/script.hpp"

namespace dlrun::plot {

namespace {

constexpr int kBarRow = 26, kBarWidth = 420;  // pixels
constexpr double kHalfHeight = 0.32, kBelowBars = 54, kBesideBars = 20;
constexpr std::size_t kMostNameLetters = 34;

std::string figures(const Interval& amount, int decimals) {
  return fmt::format("{1:.{0}f}  [{2:.{0}f}, {3:.{0}f}]", decimals, amount.mean, amount.low, amount.high);
}

double largest_of(const Bars& chart) {
  double largest = 0;
  for (const BarRow& row : chart.rows) largest = std::max({largest, row.amount.mean, row.amount.high});
  return largest > 0 ? largest : 1;
}

/// mean, row, ends of the bar, ends of the interval
std::vector<std::vector<double>> rows_of(const Bars& chart) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < chart.rows.size(); ++i) {
    const Interval& amount = chart.rows[i].amount;
    const double y = double(chart.rows.size() - i);
    rows.push_back({amount.mean, y, 0, amount.mean, y - kHalfHeight, y + kHalfHeight, amount.low, amount.high});
  }
  return rows;
}

}  // namespace

Picture bars(const Bars& chart) {
  const double largest = largest_of(chart);
  std::vector<Tick> names, beside;
  for (std::size_t i = 0; i < chart.rows.size(); ++i) {
    const double y = double(chart.rows.size() - i);
    names.push_back({y, shortened(chart.rows[i].name, kMostNameLetters)});
    beside.push_back({y, figures(chart.rows[i].amount, std::max(2, decimals_for(largest)))});
  }
  const Margins at{widest_word(names) + kBesideBars, widest_word(beside) + kBesideBars,
                   heading_height(chart.remark, {}) + 6, kBelowBars};
  Picture picture{chart.name, chart.title, 0, int(at.top + at.bottom) + kBarRow * int(chart.rows.size()), {}};
  picture.width = int(std::max(at.left + kBarWidth + at.right, heading_width(chart.title, chart.remark, {})));
  picture.program =
      style() + heading(picture, chart.remark, {}) + margins(picture, at) + data("bars", rows_of(chart)) +
      fmt::format(
          "set xrange [0:{0}]\nset yrange [0.4:{1}.6]\nset y2range [0.4:{1}.6]\nset ytics {2} nomirror\n"
          "set y2tics {3} nomirror\nset xtics {4} nomirror\nset xlabel {5} offset 0, 0.3\nset bars small\n",
          number(1.04 * largest), chart.rows.size(), tick_list(names), tick_list(beside),
          tick_list(ticks_below({"", {0, largest}}, kBarWidth).all), in_quotes(chart.axis)) +
      fmt::format(
          "plot $bars using 1:2:3:4:5:6 with boxxyerror fillstyle solid 0.75 noborder lc rgb '{}' notitle, "
          "$bars using 1:2:7:8 with xerrorbars pt 0 lw 1.5 lc rgb '{}' notitle\n",
          kBlue, kText);
  return picture;
}

}  // namespace dlrun::plot
