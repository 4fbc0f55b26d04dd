// SPDX-License-Identifier: Apache-2.0
// An axis of a chart: its ends, its scale, and the words beside it.
#pragma once
#include <string>
#include <vector>

namespace dlrun::plot {

/// Ends of an axis.
struct Range {
  double low = 0, high = 1;
};

/// A little room at both ends; around a single value too.
Range with_room(Range range);

struct Axis {
  std::string title;
  Range range;
  bool is_log = false;                  ///< logarithmic; REQUIRES: range.low > 0
  std::vector<std::string> words = {};  ///< at 0, 1, …; empty: numbers
  bool is_whole = false;                ///< ticks at whole numbers only
  bool is_tight = false;                ///< no room beyond the ends, if they differ
};

/// Axis for words: each has the same share of it.
Axis axis_of_words(const std::string& title, const std::vector<std::string>& words);

/// Coordinate that gnuplot draws at, which knows no logarithms: log10 of the value on a logarithmic axis. NaN for a
/// value that has no place there.
double place(const Axis& axis, double value);
/// Ends of the axis as such coordinates, with a little room unless it is tight.
Range places(const Axis& axis);

struct Tick {
  double at = 0;  ///< a coordinate as by place()
  std::string word;
};

struct Ticks {
  std::vector<Tick> all;
  bool is_slanted = false;  ///< words are too wide to stand beside one another
  double height = 0;        ///< pixels that they take below the axis
  double width = 0;         ///< pixels of the widest word
};

/// Ticks below an axis of so many pixels, as many as have room.
Ticks ticks_below(const Axis& axis, double pixels);
/// Ticks to the left of an axis of so many pixels.
Ticks ticks_beside(const Axis& axis, double pixels);

/// Pixels of the widest word.
double widest_word(const std::vector<Tick>& ticks);

/// gnuplot's list of ticks: ('word' 1, …)
std::string tick_list(const std::vector<Tick>& ticks);

}  // namespace dlrun::plot
