// SPDX-License-Identifier: Apache-2.0
// A tree as the boxes of its leaves, on a grid of its own.
#pragma once
#include <cstdint>
#include <vector>

#include "importance/forest.hpp"

namespace dlrun::importance {

/// Cells [begin, end) of one column's grid.
struct Run {
  std::uint32_t begin = 0, end = 0;
};

/// Part of one column that a leaf covers.
struct Extent {
  std::vector<Run> runs;
  double measure = 1;
};

struct Leaf {
  double value = 0;
  double measure = 1;           ///< product over its extents
  std::vector<Extent> extents;  ///< by column but for the budget
};

/// A cell is the part between two thresholds of a number, or one class of a set. Only leaves that the whole budget
/// reaches are there.
struct Boxes {
  std::vector<std::vector<double>> cells;  ///< measure of every cell, by column but for the budget
  std::vector<Leaf> leaves;
};

Boxes boxes_of(const Tree& tree, const std::vector<Column>& columns);

}  // namespace dlrun::importance
