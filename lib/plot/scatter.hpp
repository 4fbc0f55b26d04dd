// SPDX-License-Identifier: Apache-2.0
// Marks and lines in panels that have axes of their own.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "plot/axis.hpp"
#include "plot/palette.hpp"
#include "plot/picture.hpp"

namespace dlrun::plot {

/// Values on the two axes. A mark beyond the x axis is drawn at the edge. A finite y beyond its axis is drawn as a
/// triangle at the edge, an infinite one at the edge by its group's own shape; NaN is not drawn, and interrupts a line.
struct Point {
  double x = 0, y = 0;
};

/// A line through points in their order, in the colour of its group.
struct Trace {
  std::size_t group = 0;
  double width = 1.5;
  bool is_stepped = false;  ///< first to the side, then up or down
  std::vector<Point> points;
};

struct ScatterPanel {
  Axis x, y;
  std::vector<Trace> traces;              ///< below the marks; the first is the lowest
  std::vector<std::vector<Point>> marks;  ///< by group; the last group is on top
};

struct Scatter {
  std::string name;           ///< name of the picture
  std::string title;          ///< one line
  std::string remark;         ///< a second, smaller line
  std::vector<Group> groups;  ///< the key has those that are used and have a word
  std::vector<ScatterPanel> panels;
  int width = 640, height = 300;  ///< pixels of a panel between its axes; one panel alone is as wide as the heading
  bool shares_y = true;           ///< all have the same y axis: the first of each row alone has words
};

/// REQUIRES: a panel at least, and groups for all marks and traces.
Picture scatter(Scatter chart);

}  // namespace dlrun::plot
