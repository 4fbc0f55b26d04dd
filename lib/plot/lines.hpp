// SPDX-License-Identifier: Apache-2.0
// Values of several things along one axis, in panels. Each line has its name at its end.
#pragma once
#include <string>
#include <vector>

#include "plot/picture.hpp"

namespace dlrun::plot {

/// Values in the order of x.
struct Line {
  std::string name;
  std::vector<double> x, y;
};

struct LinesPanel {
  std::string title;
  std::vector<Line> lines;
};

struct Lines {
  std::string name;    ///< name of the picture
  std::string title;   ///< one line
  std::string remark;  ///< a second, smaller line
  std::string x_axis, y_axis;
  std::vector<std::string> x_words;  ///< below 0, 1, …; empty: numbers
  std::vector<LinesPanel> panels;
};

/// A name has the same colour in all panels, if there are no more names than colours. REQUIRES: a panel at least.
Picture lines(const Lines& chart);

}  // namespace dlrun::plot
