// SPDX-License-Identifier: Apache-2.0
// Colours that people with any colour vision tell apart (Okabe and Ito, 2008), and greys.
#pragma once
#include <string>

namespace dlrun::plot {

inline constexpr const char* kBlue = "#0072b2";
inline constexpr const char* kVermilion = "#d55e00";
inline constexpr const char* kGreen = "#009e73";
inline constexpr const char* kPurple = "#cc79a7";
inline constexpr const char* kText = "#222222";
inline constexpr const char* kQuiet = "#767676";  // lines and words of the second rank
inline constexpr const char* kPale = "#c9c9c9";   // marks and lines of the third rank
inline constexpr const char* kGrid = "#e4e4e4";
inline constexpr const char* kBand = "#ececec";

/// gnuplot's numbers of point shapes.
enum class Shape {
  cross = 2,
  open_square = 4,
  square = 5,
  open_circle = 6,
  disc = 7,
  triangle_up = 9,
  triangle_down = 11,
  open_diamond = 12,
  diamond = 13
};

/// Common look of some of a chart's marks, and its words in the key.
struct Group {
  std::string word;
  const char* color = kQuiet;
  Shape shape = Shape::disc;
};

}  // namespace dlrun::plot
