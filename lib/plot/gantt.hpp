// SPDX-License-Identifier: Apache-2.0
// Spans of time by row, as bars: a Gantt chart.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "plot/palette.hpp"
#include "plot/picture.hpp"

namespace dlrun::plot {

struct Bar {
  std::size_t row = 0, group = 0;
  double begin = 0, end = 0;
};

struct GanttRow {
  std::string name;
  std::string note;  ///< to the right of the bars
};

struct Gantt {
  std::string name;    ///< name of the picture
  std::string title;   ///< one line
  std::string remark;  ///< a second, smaller line
  std::string axis;    ///< below the numbers
  double end = 0;      ///< right end of the axis
  std::vector<Group> groups;
  std::vector<GanttRow> rows;  ///< from top to bottom
  std::vector<Bar> bars;
  std::vector<double> cuts = {};  ///< places of the axis at which time was left out
};

/// REQUIRES: a row at least, and groups for all bars.
Picture gantt(const Gantt& chart);

}  // namespace dlrun::plot
