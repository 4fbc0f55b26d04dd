// SPDX-License-Identifier: Apache-2.0
#include "plot/forest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/panels.hpp"
#include "plot/script.hpp"

namespace dlrun::plot {

namespace {

constexpr int kRow = 24;  // pixels
constexpr std::size_t kMostLetters = 34;

/// One scale for all numbers of the column.
int decimals_of(const Forest& chart) {
  double largest = 0;
  for (const ForestRow& row : chart.rows) {
    if (row.effect) largest = std::max({largest, std::abs(row.effect->mean), std::abs(row.effect->low)});
  }
  return decimals_for(largest > 0 ? largest : chart.band);
}

std::string beside(const ForestRow& row, int decimals) {
  if (!row.effect) return row.note;
  return fmt::format("{}  [{}, {}]", signed_number(row.effect->mean, decimals),
                     signed_number(row.effect->low, decimals), signed_number(row.effect->high, decimals));
}

/// 'name' 3, 'other' 2, 'last' 1: row 1 is the lowest.
std::string ticks(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted_tick(words[i]), words.size() - i);
  }
  return out;
}

double widest(const std::vector<std::string>& words) {
  std::size_t most = 0;
  for (const std::string& word : words) most = std::max(most, letters(word));
  return double(most) * kLetter;
}

/// All intervals, 0 and the band, with room at both ends.
Range range_of(const Forest& chart) {
  Range range{-chart.band * 1.1, chart.band * 1.1};
  for (const ForestRow& row : chart.rows) {
    if (!row.effect) continue;
    range.low = std::min(range.low, row.effect->low);
    range.high = std::max(range.high, row.effect->high);
  }
  const double room = range.high > range.low ? 0.04 * (range.high - range.low) : 1;
  return {range.low - room, range.high + room};
}

std::vector<std::vector<double>> points_of(const Forest& chart, std::size_t group) {
  std::vector<std::vector<double>> points;
  for (std::size_t i = 0; i < chart.rows.size(); ++i) {
    const ForestRow& row = chart.rows[i];
    if (row.group != group || !row.effect) continue;
    points.push_back({row.effect->mean, double(chart.rows.size() - i), row.effect->low, row.effect->high});
  }
  return points;
}

/// Groups that have a row with an effect, and the band.
std::vector<Group> key_of(const Forest& chart) {
  std::vector<Group> key;
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    if (!points_of(chart, g).empty()) key.push_back(chart.groups[g]);
  }
  if (chart.band > 0) key.push_back({chart.band_word, "#d8d8d8", Shape::square});
  return key;
}

std::string band_of(const Forest& chart) {
  if (chart.band <= 0) return {};
  return fmt::format(
      "set object 1 rectangle from {0}, graph 0 to {1}, graph 1 behind fillcolor rgb '{2}' fillstyle solid noborder\n",
      number(-chart.band), number(chart.band), kBand);
}

std::string axes_of(const Forest& chart, const std::vector<std::string>& names,
                    const std::vector<std::string>& figures) {
  const Range range = range_of(chart);
  return fmt::format(
      "set xrange [{}:{}]\nset yrange [0.4:{}.6]\nset ytics ({}) nomirror\nset y2range [0.4:{}.6]\n"
      "set y2tics ({}) nomirror\nset xtics format '%g' nomirror\nset xlabel {} offset 0, 0.3\nset bars small\n"
      "set arrow 1 from 0, graph 0 to 0, graph 1 nohead back lw 1 lc rgb '{}'\n",
      number(range.low), number(range.high), chart.rows.size(), ticks(names), chart.rows.size(), ticks(figures),
      in_quotes(chart.axis), kQuiet);
}

/// Data blocks, then the line that plots them; a point that is not seen where there are none.
std::string plots_of(const Forest& chart) {
  std::string blocks = data("nothing", {{0, 0}}), plots = "$nothing using 1:2 with dots lc rgb 'white' notitle";
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const auto points = points_of(chart, g);
    if (points.empty()) continue;
    blocks += data(fmt::format("group{}", g), points);
    plots += fmt::format(", $group{} using 1:2:3:4 with xerrorbars lw 2 lc rgb '{}' pt {} ps 0.9 notitle", g,
                         chart.groups[g].color, int(chart.groups[g].shape));
  }
  return blocks + "plot " + plots + "\n";
}

}  // namespace

Picture forest(const Forest& chart) {
  std::vector<std::string> names, figures;
  const int decimals = decimals_of(chart);
  for (const ForestRow& row : chart.rows) {
    names.push_back(shortened(row.name, kMostLetters));
    figures.push_back(beside(row, decimals));
  }
  const std::vector<Group> key = key_of(chart);
  const Margins at{widest(names) + 20, widest(figures) + 20, heading_height(chart.remark, key) + 4, 54};
  const int width = int(std::max(at.left + at.right + 460, heading_width(chart.title, chart.remark, key)));
  const int height = int(at.top + at.bottom) + kRow * int(chart.rows.size());
  Picture picture{chart.name, chart.title, width, height, {}};
  picture.program = style() + heading(picture, chart.remark, key) + margins(picture, at) + band_of(chart) +
                    axes_of(chart, names, figures) + plots_of(chart);
  return picture;
}

}  // namespace dlrun::plot
