// SPDX-License-Identifier: Apache-2.0
// Marks and axes in gnuplot's language, for charts whose panels have axes of their own.
#pragma once
#include <string>
#include <vector>

#include "plot/scatter.hpp"

namespace dlrun::plot {

/// Data blocks, and what `plot` draws of them.
struct Drawn {
  std::string blocks;
  std::string plots;  ///< each with a comma in front
};

/// Marks of one group.
/// @param name  of its data blocks
/// @param size  of a mark, 1 for a dozen
Drawn drawn_marks(const std::string& name, const ScatterPanel& panel, const std::vector<Point>& marks,
                  const Group& group, double size);
Drawn drawn_trace(const std::string& name, const ScatterPanel& panel, const Trace& trace, const Group& group);

/// Size of marks, smaller the more there are.
double mark_size(std::size_t marks);

/// Ranges, ticks and titles of both axes.
/// @param has_y_words  whether the y axis is named here, or by the panel at the left
std::string axes(const ScatterPanel& panel, double width, double height, bool has_y_words);
/// Pixels that the y axis needs to the left of a panel.
double room_beside(const Axis& y, double height);
/// Pixels that the x axis needs below a panel.
double room_below(const Axis& x, double width);

}  // namespace dlrun::plot
