// SPDX-License-Identifier: Apache-2.0
// Small pictures beside and below one another, on the same axes.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "plot/axis.hpp"
#include "plot/palette.hpp"
#include "plot/picture.hpp"

namespace dlrun::plot {

/// Pixels of each panel.
struct PanelSize {
  int width = 190, height = 130;
  int gap = 16;  ///< to the next one in its row; to the right of the last one it is the picture's edge, if larger
};

/// Titles, axes and key that all panels share.
struct Panels {
  std::string name;    ///< name of the picture
  std::string title;   ///< one line
  std::string remark;  ///< a second, smaller line
  std::string x_axis, y_axis;
  Range x, y;
  std::vector<std::string> x_words;  ///< below 0, 1, …; empty: numbers
  std::vector<Group> key;            ///< meaning of the marks, above all panels
  std::vector<std::string> titles;   ///< title of each panel
  PanelSize size;
};

/// @param plot  what is drawn in panel i: data blocks and settings, then a line that begins with `plot`. kNothing may
/// be
///              the first of what it plots, for gnuplot takes a panel without a point for a fault
/// REQUIRES: a title at least.
Picture panels(const Panels& chart, const std::function<std::string(std::size_t)>& plot);

inline constexpr const char* kNothing = "$nothing using 1:2 with dots lc rgb 'white' notitle";

/// Columns of so many panels: four, or fewer or more where the last row is then less empty.
std::size_t columns_for(std::size_t panels);

}  // namespace dlrun::plot
