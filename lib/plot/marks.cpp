// SPDX-License-Identifier: Apache-2.0
#include "plot/marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/script.hpp"

namespace dlrun::plot {

namespace {

constexpr double kAxisTitle = 22;  // pixels of an axis' title
constexpr double kSingle = 1;      // size of a mark that is alone in its group
constexpr double kTickGap = 10;    // pixels between words and axis

std::string drawn_points(const std::string& block, Shape shape, double size, const char* color) {
  return fmt::format(", ${} using 1:2 with points pt {} ps {:.2g} lw 1.5 lc rgb '{}' notitle", block, int(shape), size,
                     color);
}

void add_marks(Drawn& drawn, const std::string& name, const std::vector<std::vector<double>>& rows, Shape shape,
               double size, const char* color) {
  if (rows.empty()) return;
  drawn.blocks += data(name, rows);
  drawn.plots += drawn_points(name, shape, size, color);
}

/// Words of a title that fit beside so many pixels.
std::string fitted(const std::string& title, double pixels) {
  return in_quotes(shortened(title, std::size_t(std::max(8.0, pixels / kLetter))));
}

}  // namespace

Drawn drawn_marks(const std::string& name, const ScatterPanel& panel, const std::vector<Point>& marks,
                  const Group& group, double size) {
  const Range x_ends = places(panel.x), y = places(panel.y);
  std::vector<std::vector<double>> inside, above, below;
  for (const Point& mark : marks) {
    const double x = std::clamp(place(panel.x, mark.x), x_ends.low, x_ends.high);
    const double at = std::isinf(mark.y) ? mark.y : place(panel.y, mark.y);
    if (std::isnan(x) || std::isnan(at)) continue;
    const bool is_edge = std::isinf(mark.y) || (at >= y.low && at <= y.high);
    (is_edge ? inside : (at > y.high ? above : below)).push_back({x, std::clamp(at, y.low, y.high)});
  }
  if (marks.size() == 1) size = std::max(size, kSingle);
  Drawn drawn;
  add_marks(drawn, name, inside, group.shape, size, group.color);
  add_marks(drawn, name + "_above", above, Shape::triangle_up, size, group.color);
  add_marks(drawn, name + "_below", below, Shape::triangle_down, size, group.color);
  return drawn;
}

Drawn drawn_trace(const std::string& name, const ScatterPanel& panel, const Trace& trace, const Group& group) {
  std::vector<std::vector<double>> rows;
  for (const Point& point : trace.points) {
    const double x = place(panel.x, point.x), y = place(panel.y, point.y);
    std::isfinite(x) && std::isfinite(y) ? rows.push_back({x, y}) : rows.push_back({});
  }
  if (rows.empty()) return {};
  return {data(name, rows), fmt::format(", ${} using 1:2 with {} lw {:.2g} lc rgb '{}' notitle", name,
                                        trace.is_stepped ? "steps" : "lines", trace.width, group.color)};
}

double mark_size(std::size_t marks) { return marks <= 150 ? 0.8 : (marks <= 600 ? 0.55 : 0.4); }

std::string axes(const ScatterPanel& panel, double width, double height, bool has_y_words) {
  const Range x = places(panel.x), y = places(panel.y);
  const Ticks below = ticks_below(panel.x, width);
  Ticks beside = ticks_beside(panel.y, height);
  if (!has_y_words) {
    for (Tick& tick : beside.all) tick.word = "";
  }
  std::string out = fmt::format("set xrange [{}:{}]\nset yrange [{}:{}]\n", number(x.low), number(x.high),
                                number(y.low), number(y.high));
  out += fmt::format("set xtics {} {}\n", below.is_slanted ? "rotate by 45 right" : "norotate autojustify",
                     tick_list(below.all));
  out += fmt::format("set ytics {}\n", tick_list(beside.all));
  out += fmt::format("set xlabel {} offset 0, 0.3\n", fitted(panel.x.title, width));
  out += has_y_words ? fmt::format("set ylabel {}\n", fitted(panel.y.title, height + 40)) : "unset ylabel\n";
  return out;
}

double room_beside(const Axis& y, double height) { return ticks_beside(y, height).width + kTickGap + kAxisTitle + 6; }

double room_below(const Axis& x, double width) {
  return ticks_below(x, width).height + kTickGap + (x.title.empty() ? 0 : kAxisTitle);
}

}  // namespace dlrun::plot
