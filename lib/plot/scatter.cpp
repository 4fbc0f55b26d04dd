// SPDX-License-Identifier: Apache-2.0
#include "plot/scatter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plot/marks.hpp"
#include "plot/panels.hpp"
#include "plot/script.hpp"

namespace dlrun::plot {

namespace {

constexpr double kPanelGap = 18, kPanelRight = 24, kPanelAbove = 10;  // pixels

/// Place of every panel, in pixels of the picture.
struct Layout {
  std::size_t columns = 1;
  double left = 0;            ///< before the first column
  double step = 0;            ///< from column to column
  double top = 0;             ///< above the first row
  std::vector<double> below;  ///< under each row
};

Layout layout_of(const Scatter& chart, const std::vector<Group>& key) {
  Layout layout{columns_for(chart.panels.size()), 0, 0, heading_height(chart.remark, key) + kPanelAbove, {}};
  for (const ScatterPanel& panel : chart.panels)
    layout.left = std::max(layout.left, room_beside(panel.y, chart.height));
  layout.step = chart.width + (chart.shares_y ? kPanelGap : layout.left);
  layout.below.resize((chart.panels.size() + layout.columns - 1) / layout.columns);
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    double& below = layout.below[i / layout.columns];
    below = std::max(below, room_below(chart.panels[i].x, chart.width));
  }
  return layout;
}

double top_of(const Scatter& chart, const Layout& layout, std::size_t row) {
  double top = layout.top;
  for (std::size_t i = 0; i < row; ++i) top += chart.height + layout.below[i] + kPanelAbove;
  return top;
}

Margins place_of(const Scatter& chart, const Picture& picture, const Layout& layout, std::size_t panel) {
  const double left = layout.left + double(panel % layout.columns) * layout.step;
  const double top = top_of(chart, layout, panel / layout.columns);
  return {left, picture.width - left - chart.width, top, picture.height - top - chart.height};
}

std::size_t marks_of(const ScatterPanel& panel) {
  std::size_t count = 0;
  for (const std::vector<Point>& marks : panel.marks) count += marks.size();
  return count;
}

bool is_used(const Scatter& chart, std::size_t group) {
  return std::any_of(chart.panels.begin(), chart.panels.end(), [&](const ScatterPanel& panel) {
    return (group < panel.marks.size() && !panel.marks[group].empty()) ||
           std::any_of(panel.traces.begin(), panel.traces.end(), [&](const Trace& t) { return t.group == group; });
  });
}

std::vector<Group> key_of(const Scatter& chart) {
  std::vector<Group> key;
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    if (is_used(chart, g) && !chart.groups[g].word.empty()) key.push_back(chart.groups[g]);
  }
  return key;
}

std::string drawn_panel(const Scatter& chart, const ScatterPanel& panel) {
  std::string blocks = data("nothing", {{places(panel.x).low, places(panel.y).low}}), plots;
  const auto add = [&](const Drawn& drawn) {
    blocks += drawn.blocks;
    plots += drawn.plots;
  };
  for (std::size_t i = 0; i < panel.traces.size(); ++i)
    add(drawn_trace(fmt::format("trace{}", i), panel, panel.traces[i], chart.groups[panel.traces[i].group]));
  for (std::size_t g = 0; g < panel.marks.size(); ++g)
    add(drawn_marks(fmt::format("marks{}", g), panel, panel.marks[g], chart.groups[g], mark_size(marks_of(panel))));
  return blocks + "plot " + kNothing + plots + "\n";
}

}  // namespace

Picture scatter(Scatter chart) {
  const std::vector<Group> key = key_of(chart);
  const Layout layout = layout_of(chart, key);
  const double width = layout.left + double(layout.columns - 1) * layout.step + chart.width + kPanelRight;
  Picture picture{chart.name, chart.title, 0, 0, {}};
  picture.width = int(std::max(width, heading_width(chart.title, chart.remark, key)));
  if (chart.panels.size() == 1) chart.width += picture.width - int(width);
  picture.height = int(top_of(chart, layout, layout.below.size()) - kPanelAbove) + 6;
  picture.program = style() + "set grid xtics ytics\n" + heading(picture, chart.remark, key) + "set multiplot\n";
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    const bool is_left = i % layout.columns == 0;
    picture.program += margins(picture, place_of(chart, picture, layout, i)) +
                       axes(chart.panels[i], chart.width, chart.height, is_left || !chart.shares_y) +
                       drawn_panel(chart, chart.panels[i]);
    if (i == 0) picture.program += "unset label\n";  // the heading is drawn once
  }
  picture.program += "unset multiplot\n";
  return picture;
}

}  // namespace dlrun::plot
