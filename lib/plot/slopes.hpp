// SPDX-License-Identifier: Apache-2.0
// Pairs of measurements, a line for each from the first to the second, a panel for each comparison.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "plot/palette.hpp"
#include "plot/picture.hpp"

namespace dlrun::plot {

struct SlopesPanel {
  std::string title;
  std::vector<std::pair<double, double>> pairs;  ///< NaN: one that is missing; the other is drawn alone
};

struct Slopes {
  std::string name;    ///< name of the picture
  std::string title;   ///< one line
  std::string remark;  ///< a second, smaller line
  std::string y_axis;
  std::string first_word, second_word;  ///< below the ends of the lines
  Group up, down;                       ///< lines that rise, lines that fall
  std::vector<SlopesPanel> panels;
};

/// Even lines are grey.
/// REQUIRES: a panel at least.
Picture slopes(const Slopes& chart);

}  // namespace dlrun::plot
