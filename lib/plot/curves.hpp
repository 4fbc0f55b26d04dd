// SPDX-License-Identifier: Apache-2.0
// Learning curves of two things that are compared, a panel for each comparison.
#pragma once
#include <string>
#include <vector>

#include "plot/picture.hpp"

namespace dlrun::plot {

/// One run: values by step, in the order of steps.
struct Curve {
  std::vector<double> steps, values;
};

struct CurvesPanel {
  std::string title;
  std::vector<Curve> first, second;  ///< runs of either
};

struct Curves {
  std::string name;    ///< name of the picture
  std::string title;   ///< one line
  std::string remark;  ///< a second, smaller line
  std::string x_axis, y_axis;
  std::string first_word, second_word;  ///< for the key
  std::vector<CurvesPanel> panels;
};

/// The mean over the runs at each step, in a band from the lowest run to the highest. The axis is that of the means and
/// of the later half of all runs: the first steps of a few runs would leave the rest no height. REQUIRES: a panel at
/// least.
Picture curves(const Curves& chart);

}  // namespace dlrun::plot
