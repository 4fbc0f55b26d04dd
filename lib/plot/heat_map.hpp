// SPDX-License-Identifier: Apache-2.0
// A number for each two of some things, as coloured squares.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "plot/picture.hpp"

namespace dlrun::plot {

struct HeatCell {
  std::size_t row = 0, column = 0;  ///< indices of names
  double value = 0;
  bool is_marked = false;  ///< cell with an asterisk
};

/// Blue below 0, orange above, white at 0: the scale is the same to both sides. Squares without a cell stay empty.
struct HeatMap {
  std::string name;    ///< name of the picture
  std::string title;   ///< one line
  std::string remark;  ///< a second, smaller line
  std::string scale;   ///< unit or meaning of the numbers
  std::vector<std::string> names;
  std::vector<HeatCell> cells;
};

/// Numbers stand in the squares up to sixteen names; beyond, the asterisks alone.
Picture heat_map(const HeatMap& chart);

}  // namespace dlrun::plot
