// SPDX-License-Identifier: Apache-2.0
#include "plot/contour.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "plot/marks.hpp"
#include "plot/script.hpp"

namespace dlrun::plot {

namespace {

constexpr std::size_t kCells = 110, kBands = 11;
constexpr int kContourWidth = 440, kContourHeight = 330;  // pixels
constexpr double kScaleTitle = 14;                        // from the right edge
constexpr double kScaleGap = 22, kScaleWidth = 14, kTop = 10;

/// Cells of an axis: of words one for each.
std::size_t cells_of(const Axis& axis, std::size_t cells) { return axis.words.empty() ? cells : axis.words.size(); }

/// Part of the axis below a place.
double part_of(const Axis& axis, double at) {
  const Range ends = places(axis);
  return (at - ends.low) / (ends.high - ends.low);
}

/// A point in the unit square; of an axis of words the number of its word too.
struct Placed {
  double x = 0, y = 0, value = 0;
  std::size_t column = 0, row = 0;
};

std::vector<Placed> placed(const Contour& chart) {
  std::vector<Placed> out;
  const Range values = places(chart.value);  // one far off would be all that its neighbours show
  for (const Measured& point : chart.points) {
    const double x = part_of(chart.x, place(chart.x, point.x)), y = part_of(chart.y, place(chart.y, point.y));
    const double value = std::clamp(place(chart.value, point.value), values.low, values.high);
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(value)) continue;
    const auto word = [](const Axis& axis, double at) { return axis.words.empty() ? 0 : std::size_t(std::lround(at)); };
    out.push_back({x, y, value, word(chart.x, point.x), word(chart.y, point.y)});
  }
  return out;
}

/// Mean of the points that count for a cell.
double mean_at(const Contour& chart, const std::vector<Placed>& points, const Placed& cell, double softening) {
  double sum = 0, weights = 0;
  for (const Placed& point : points) {
    const bool is_other =
        (!chart.x.words.empty() && point.column != cell.column) || (!chart.y.words.empty() && point.row != cell.row);
    if (is_other) continue;
    const double dx = point.x - cell.x, dy = point.y - cell.y;
    const double square = dx * dx + dy * dy + softening * softening;
    sum += point.value / (square * square);
    weights += 1 / (square * square);
  }
  return weights > 0 ? sum / weights : std::numeric_limits<double>::quiet_NaN();
}

/// Band of a value, 0 … kBands - 1; nullopt: none.
std::optional<std::size_t> band_of(const Contour& chart, double value) {
  if (!std::isfinite(value)) return std::nullopt;
  const double part = std::clamp(part_of(chart.value, value), 0.0, 1.0);
  return std::min(kBands - 1, std::size_t(part * double(kBands)));
}

/// Rectangles of equal bands, cells of a row together: middle, ends and band. Each reaches a little below the next
/// ones, which are drawn later, so that no seam is left.
std::vector<std::vector<double>> rectangles(const Contour& chart) {
  const std::vector<std::vector<double>> grid = interpolated(chart, kCells);
  const Range x = places(chart.x), y = places(chart.y);
  std::vector<std::vector<double>> out;
  for (std::size_t row = 0; row < grid.size(); ++row) {
    const double height = (y.high - y.low) / double(grid.size()), width = (x.high - x.low) / double(grid[row].size());
    const double low = y.low + double(row) * height, high = std::min(y.high, low + 1.5 * height);
    for (std::size_t begin = 0, end = 0; begin < grid[row].size(); begin = end) {
      const auto band = band_of(chart, grid[row][begin]);
      while (end < grid[row].size() && band_of(chart, grid[row][end]) == band) ++end;
      if (!band) continue;
      const bool is_even = chart.x.words.empty();
      const double left = x.low + double(begin) * width;
      const double right = std::min(x.high, x.low + (double(end) + (is_even ? 0.5 : 0)) * width);
      out.push_back({left, low, left, right, low, chart.y.words.empty() ? high : low + height, double(*band)});
    }
  }
  return out;
}

/// The scale of colours at the right, in gnuplot's language.
std::string scale_of(const Contour& chart, const Picture& picture, const Margins& at) {
  std::vector<Tick> ticks = ticks_beside(chart.value, kContourHeight).all;
  for (Tick& tick : ticks) tick.at = part_of(chart.value, tick.at) * double(kBands) - 0.5;
  const char* colors = chart.is_low_dark ? "0 '#08306b', 0.35 '#2f7ebc', 0.7 '#a6cee4', 1 '#f7fbff'"
                                         : "0 '#f7fbff', 0.3 '#a6cee4', 0.65 '#2f7ebc', 1 '#08306b'";
  return fmt::format(
      "set palette defined ({}) maxcolors {}\nset cbrange [-0.5:{}.5]\nset cbtics {} nomirror\n"
      "set label {} at screen {:.5f}, screen {:.5f} center rotate by 90 tc rgb '{}'\nset colorbox user origin screen "
      "{:.5f}, screen {:.5f} size screen {:.5f}, screen {:.5f} noborder\n",
      colors, kBands, kBands - 1, tick_list(ticks), in_quotes(shortened(chart.value.title, 40)),
      (at.left + kContourWidth + at.right - kScaleTitle) / picture.width,
      (at.bottom + kContourHeight / 2.0) / picture.height, kText, (at.left + kContourWidth + kScaleGap) / picture.width,
      at.bottom / picture.height, kScaleWidth / picture.width, double(kContourHeight) / picture.height);
}

}  // namespace

std::vector<std::vector<double>> interpolated(const Contour& chart, std::size_t cells) {
  const std::size_t columns = cells_of(chart.x, cells), rows = cells_of(chart.y, cells);
  const std::vector<Placed> points = placed(chart);
  const double softening = 1 / double(cells);
  std::vector<std::vector<double>> grid(rows, std::vector<double>(columns));
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const Placed cell{(double(column) + 0.5) / double(columns), (double(row) + 0.5) / double(rows), 0, column, row};
      grid[row][column] = mean_at(chart, points, cell, softening);
    }
  }
  return grid;
}

Picture contour(Contour chart) {
  for (Axis* axis : {&chart.x, &chart.y, &chart.value}) axis->is_tight = true;
  const ScatterPanel panel{chart.x, chart.y, {}, chart.marks};
  std::vector<Group> key;
  std::size_t marks = 0;
  for (std::size_t g = 0; g < chart.marks.size(); ++g) {
    if (!chart.marks[g].empty() && !chart.groups[g].word.empty()) key.push_back(chart.groups[g]);
    marks += chart.marks[g].size();
  }
  const double scale = kScaleGap + kScaleWidth + ticks_beside(chart.value, kContourHeight).width + 2 * kScaleTitle + 22;
  const Margins at{room_beside(chart.y, kContourHeight), scale, heading_height(chart.remark, key) + kTop,
                   room_below(chart.x, kContourWidth) + 6};
  Picture picture{chart.name, chart.title, 0, int(at.top + at.bottom) + kContourHeight, {}};
  picture.width = int(std::max(at.left + kContourWidth + at.right, heading_width(chart.title, chart.remark, key)));
  picture.program = style() + "unset grid\n" + heading(picture, chart.remark, key) +
                    margins(picture, {at.left, picture.width - at.left - kContourWidth, at.top, at.bottom}) +
                    axes(panel, kContourWidth, kContourHeight, true) + scale_of(chart, picture, at) +
                    data("nothing", {{places(chart.x).low, places(chart.y).low}}) + data("bands", rectangles(chart));
  std::string plots =
      "plot $nothing using 1:2 with dots lc rgb 'white' notitle, $bands using 1:2:3:4:5:6:7 with "
      "boxxyerror fillstyle solid noborder lc palette notitle";
  for (std::size_t g = 0; g < chart.marks.size(); ++g) {
    const Drawn drawn =
        drawn_marks(fmt::format("marks{}", g), panel, chart.marks[g], chart.groups[g], mark_size(marks));
    picture.program += drawn.blocks;
    plots += drawn.plots;
  }
  picture.program += plots + "\n";
  return picture;
}

}  // namespace dlrun::plot
