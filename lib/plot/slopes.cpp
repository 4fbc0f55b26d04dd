// SPDX-License-Identifier: Apache-2.0
#include "plot/slopes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plot/palette.hpp"
#include "plot/panels.hpp"
#include "plot/script.hpp"

namespace dlrun::plot {

namespace {

using Pair = std::pair<double, double>;

Range range_of(const Slopes& chart) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const SlopesPanel& panel : chart.panels) {
    for (const auto& [first, second] : panel.pairs) {
      for (const double value : {first, second}) {
        if (!std::isfinite(value)) continue;
        range.low = std::min(range.low, value);
        range.high = std::max(range.high, value);
      }
    }
  }
  return range.low <= range.high ? with_room(range) : Range{0, 1};
}

/// The lines that `counts`, each interrupted from the next.
template <class Counts>
std::string lines(const std::string& block, const SlopesPanel& panel, Counts counts) {
  std::vector<std::vector<double>> rows;
  for (const Pair& pair : panel.pairs) {
    if (std::isfinite(pair.first) && std::isfinite(pair.second) && counts(pair)) {
      rows.insert(rows.end(), {{0, pair.first}, {1, pair.second}, {}});
    }
  }
  return data(block, rows);
}

/// Points of pairs with one value only.
std::string lonely(const SlopesPanel& panel) {
  std::vector<std::vector<double>> rows;
  for (const auto& [first, second] : panel.pairs) {
    if (std::isfinite(first) == std::isfinite(second)) continue;
    std::isfinite(first) ? rows.push_back({0, first}) : rows.push_back({1, second});
  }
  return data("lonely", rows);
}

std::string drawn_as(const char* block, const char* color) {
  return fmt::format("${} using 1:2 with linespoints lw 1.5 pt 7 ps 0.45 lc rgb '{}' notitle", block, color);
}

}  // namespace

Picture slopes(const Slopes& chart) {
  Panels all{chart.name, chart.title, chart.remark, "", chart.y_axis, {-0.25, 1.25}, range_of(chart)};
  all.x_words = {chart.first_word, chart.second_word};
  all.key = {chart.down, chart.up};
  for (const SlopesPanel& panel : chart.panels) all.titles.push_back(panel.title);
  return panels(all, [&](std::size_t i) {
    const SlopesPanel& panel = chart.panels[i];
    return lines("even", panel, [](const Pair& pair) { return pair.first == pair.second; }) +
           lines("down", panel, [](const Pair& pair) { return pair.first > pair.second; }) +
           lines("up", panel, [](const Pair& pair) { return pair.first < pair.second; }) + lonely(panel) +
           fmt::format("plot {}, {}, {}, {}, $lonely using 1:2 with points pt {} ps 0.6 lc rgb '{}' notitle\n",
                       kNothing, drawn_as("even", kQuiet), drawn_as("down", chart.down.color),
                       drawn_as("up", chart.up.color), int(Shape::cross), kQuiet);
  });
}

}  // namespace dlrun::plot
