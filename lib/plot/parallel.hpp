// SPDX-License-Identifier: Apache-2.0
// Points of many dimensions as lines across upright axes: parallel coordinates.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "plot/axis.hpp"
#include "plot/palette.hpp"
#include "plot/picture.hpp"

namespace dlrun::plot {

struct ParallelLine {
  std::size_t group = 0;
  std::vector<double> values;  ///< by axis; NaN: there is none, and the line passes below the axis
};

struct Parallel {
  std::string name;           ///< name of the picture
  std::string title;          ///< one line
  std::string remark;         ///< a second, smaller line
  std::vector<Group> groups;  ///< the last is drawn on top
  std::vector<Axis> axes;     ///< from left to right
  std::vector<ParallelLine> lines;
  std::string below;  ///< meaning of the place below an axis; shown where a line passes there
};

/// REQUIRES: two axes at least, and groups for all lines.
Picture parallel(const Parallel& chart);

}  // namespace dlrun::plot
