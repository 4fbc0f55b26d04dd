// SPDX-License-Identifier: Apache-2.0
// Values over two axes as bands of colour, between the points where they were measured.
#pragma once
#include <string>
#include <vector>

#include "plot/axis.hpp"
#include "plot/picture.hpp"
#include "plot/scatter.hpp"

namespace dlrun::plot {

struct Measured {
  double x = 0, y = 0, value = 0;
};

struct Contour {
  std::string name;          ///< name of the picture
  std::string title;         ///< one line
  std::string remark;        ///< a second, smaller line
  Axis x, y, value;          ///< values beyond the last one's ends have the colours of its ends
  bool is_low_dark = false;  ///< low values are dark, else high ones
  std::vector<Measured> points;
  std::vector<Group> groups;              ///< marks above the bands; the key has those that are used and have a word
  std::vector<std::vector<Point>> marks;  ///< by group
};

/// Values of a grid by inverse distance weighting (Shepard 1968): the mean of all points, each weighted by the fourth
/// power of its inverse distance in the unit square of the axes, softened by a cell. A word has the points of that
/// word alone; NaN where there are none.
/// @return rows from the low end of y, cells from the low end of x; of words a row or column for each
std::vector<std::vector<double>> interpolated(const Contour& chart, std::size_t cells);

/// REQUIRES: groups for all marks.
Picture contour(Contour chart);

}  // namespace dlrun::plot
