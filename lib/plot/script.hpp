// SPDX-License-Identifier: Apache-2.0
// Words of gnuplot's language that all charts share.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "plot/palette.hpp"
#include "plot/picture.hpp"

namespace dlrun::plot {

inline constexpr double kLetter = 7.1;  ///< pixels that a letter of the text takes, on average

/// A string of gnuplot's: nothing in it is expanded or taken for markup. Control characters become spaces.
std::string in_quotes(std::string_view text);

/// A word of an axis as such a string: gnuplot would take `%` for the format of a number.
std::string quoted_tick(std::string_view text);

/// Digits enough to tell a pixel; NaN, which is not drawn, for what is not finite.
std::string number(double value);

/// At most `most` letters; "…" stands for the middle, because names differ at their ends.
std::string shortened(std::string_view text, std::size_t most);

/// Letters of UTF-8 text.
std::size_t letters(std::string_view text);

/// Number with a sign, and one as wide as the other.
std::string signed_number(double value, int decimals);

/// Numbers by rows, as gnuplot's data block `$name`. Rows may have different lengths; an empty one interrupts a line.
std::string data(const std::string& name, const std::vector<std::vector<double>>& rows);

/// Edges of the plotted part of the picture, in pixels from the picture's own.
struct Margins {
  double left = 0, right = 0, top = 0, bottom = 0;
};
std::string margins(const Picture& picture, const Margins& at);

/// The title, a smaller remark below it, and what marks mean, in a line of their own: all at the picture's upper left.
std::string heading(const Picture& picture, std::string_view remark, const std::vector<Group>& key);
/// Pixels that a heading takes.
double heading_height(std::string_view remark, const std::vector<Group>& key);
/// Pixels that its widest line takes.
double heading_width(std::string_view title, std::string_view remark, const std::vector<Group>& key);

/// Font sizes, colours and lines that every chart begins with.
std::string style();

/// Decimals that numbers up to `largest` need to show two digits of it.
int decimals_for(double largest);

}  // namespace dlrun::plot
