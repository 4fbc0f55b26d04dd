// SPDX-License-Identifier: Apache-2.0
// Amounts with their intervals as bars, one below the other.
#pragma once
#include <string>
#include <vector>

#include "plot/forest.hpp"
#include "plot/picture.hpp"

namespace dlrun::plot {

struct BarRow {
  std::string name;
  Interval amount;  ///< not below 0
};

struct Bars {
  std::string name;          ///< name of the picture
  std::string title;         ///< one line
  std::string remark;        ///< a second, smaller line
  std::string axis;          ///< below the numbers
  std::vector<BarRow> rows;  ///< from top to bottom
};

/// REQUIRES: a row at least.
Picture bars(const Bars& chart);

}  // namespace dlrun::plot
