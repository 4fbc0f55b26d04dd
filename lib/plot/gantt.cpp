// SPDX-License-Identifier: Apache-2.0
#include "plot/gantt.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plot/script.hpp"

namespace dlrun::plot {

namespace {

constexpr int kChartWidth = 900, kRowHeight = 30;
constexpr double kBelow = 52, kHalfBar = 0.36;
constexpr std::size_t kLongestName = 28;

double widest_of(const std::vector<GanttRow>& rows, std::string GanttRow::*text) {
  std::size_t most = 0;
  for (const GanttRow& row : rows) most = std::max(most, std::min(letters(row.*text), kLongestName));
  return double(most) * kLetter;
}

/// Names at the left, notes at the right: both beside their rows.
std::string words_of(const Gantt& chart) {
  std::string out;
  for (std::size_t i = 0; i < chart.rows.size(); ++i) {
    const GanttRow& row = chart.rows[i];
    out += fmt::format("set label {} at graph 0, first {} right offset character -1, 0 tc rgb '{}'\n",
                       in_quotes(shortened(row.name, kLongestName)), -double(i), kText);
    out += fmt::format("set label {} at graph 1, first {} left offset character 1, 0 tc rgb '{}'\n",
                       in_quotes(shortened(row.note, kLongestName)), -double(i), kQuiet);
  }
  return out;
}

bool has_bars(const Gantt& chart, std::size_t group) {
  return std::any_of(chart.bars.begin(), chart.bars.end(), [&](const Bar& bar) { return bar.group == group; });
}

std::string bars_of(const Gantt& chart, std::size_t group) {
  std::vector<std::vector<double>> rows;
  for (const Bar& bar : chart.bars) {
    if (bar.group != group) continue;
    const auto y = double(-std::ptrdiff_t(bar.row));  // never minus zero
    rows.push_back({(bar.begin + bar.end) / 2, y, bar.begin, bar.end, y - kHalfBar, y + kHalfBar});
  }
  if (rows.empty()) rows.push_back({});
  return data(fmt::format("group{}", group), rows);
}

}  // namespace

Picture gantt(const Gantt& chart) {
  std::vector<Group> key;
  for (std::size_t group = 0; group < chart.groups.size(); ++group) {
    if (has_bars(chart, group)) key.push_back(chart.groups[group]);
  }
  const double top = heading_height(chart.remark, key) + 8;
  Picture picture{chart.name, chart.title, kChartWidth, int(top + kBelow) + kRowHeight * int(chart.rows.size()), ""};
  const Margins at{24 + widest_of(chart.rows, &GanttRow::name), 24 + widest_of(chart.rows, &GanttRow::note), top,
                   kBelow};
  std::string out = style() + margins(picture, at) + heading(picture, chart.remark, key) + words_of(chart);
  out += fmt::format(
      "set xrange [0:{}]\nset yrange [{}:0.5]\nunset ytics\nset xlabel {}\nset style fill solid 1 noborder\n",
      number(chart.end > 0 ? chart.end : 1), 0.5 - double(chart.rows.size()), in_quotes(chart.axis));
  for (const double cut : chart.cuts) {
    out += fmt::format("set arrow from {0}, graph 0 to {0}, graph 1 nohead front dt 2 lw 1.5 lc rgb '{1}'\n",
                       number(cut), kText);
  }
  std::string plot = "plot 1/0 notitle";
  for (std::size_t group = 0; group < chart.groups.size(); ++group) {
    if (!has_bars(chart, group)) continue;
    out += bars_of(chart, group);
    plot += fmt::format(", $group{} using 1:2:3:4:5:6 with boxxyerror lc rgb '{}' notitle", group,
                        chart.groups[group].color);
  }
  picture.program = out + plot + "\n";
  return picture;
}

}  // namespace dlrun::plot
