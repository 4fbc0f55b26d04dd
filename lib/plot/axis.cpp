// SPDX-License-Identifier: Apache-2.0
#include "plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plot/script.hpp"

namespace dlrun::plot {

namespace {

constexpr double kLine = 16;              // pixels that a line of words takes
constexpr std::size_t kMostSlanted = 13;  // letters of a slanted word
constexpr std::size_t kMostBeside = 18;   // letters of a word to the left
constexpr double kWordGap = 12;           // pixels between two words
constexpr double kSlant = 0.71;           // words at 45 degrees
constexpr double kSame = 1e-12;           // relative difference of values that are one
constexpr double kRounding = 1e-9;        // share of a step
constexpr double kMostWhole = 6;          // digits of a whole number

/// "1e-5", "−0.25", "20000": so many digits that steps of `step` differ.
std::string tick_word(double value, double step) {
  const double size = std::floor(std::log10(std::max(std::abs(value), step)) + kRounding);
  const double digits = size - std::floor(std::log10(step) + kRounding) + 1;
  const double least = size < kMostWhole ? size + 1 : 1;  // no power of ten where a whole number is short
  std::string word = fmt::format("{:.{}g}", value, int(std::clamp(std::max(digits, least), 1.0, 15.0)));
  const std::size_t e = word.find('e');
  if (e != std::string::npos) {
    const std::size_t digit = word.find_first_not_of('0', e + 2);
    word = word.substr(0, e + 1) + (word[e + 1] == '-' ? "-" : "") + word.substr(std::min(digit, word.size() - 1));
  }
  if (word[0] == '-') word.replace(0, 1, "−");
  return word;
}

/// 1, 2 or 5 times a power of ten.
double step_for(double size, std::size_t most) {
  const double least = size / double(most), power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

std::vector<Tick> even_ticks(const Axis& axis, std::size_t most) {
  Range range = places(axis);
  if (axis.is_log) range = {std::pow(10, range.low), std::pow(10, range.high)};
  const double size = range.high - range.low;
  if (!std::isfinite(size)) return {{0, "0"}};
  const double step = std::max(step_for(size, most), axis.is_whole ? 1.0 : 0.0);
  std::vector<Tick> ticks;
  const double first = std::ceil(range.low / step - kRounding);
  const auto count = std::size_t(std::max(0.0, std::floor(range.high / step + kRounding) - first + 1));
  for (std::size_t i = 0; i < count; ++i) {
    const double value = (first + double(i)) * step + 0.0;  // no minus zero
    ticks.push_back({place(axis, value), tick_word(value, step)});
  }
  return ticks;
}

/// Powers of ten, or twice and five times these too.
std::vector<Tick> ticks_of_decades(const Axis& axis, std::size_t most) {
  const Range range = places(axis);
  const auto first = int(std::ceil(range.low - kRounding)), last = int(std::floor(range.high + kRounding));
  const int stride = std::max(1, int(std::ceil(double(last - first + 1) / double(most))));
  std::vector<Tick> ticks;
  for (int i = last - first >= 1 ? first : last + 1; i <= last; i += stride) {
    ticks.push_back({double(i), tick_word(std::pow(10, i), std::pow(10, i))});
  }
  for (int i = first - 1; last - first < 1 && i <= last; ++i) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10, i);
      if (std::log10(value) >= range.low && std::log10(value) <= range.high)
        ticks.push_back({place(axis, value), tick_word(value, value)});
    }
  }
  return ticks.size() >= 2 ? ticks : even_ticks(axis, most);
}

std::vector<Tick> number_ticks(const Axis& axis, std::size_t most) {
  return axis.is_log ? ticks_of_decades(axis, most) : even_ticks(axis, most);
}

/// Every word, or every second, … so that there are at most so many.
std::vector<Tick> word_ticks(const Axis& axis, std::size_t most, std::size_t letters) {
  std::vector<Tick> ticks;
  const std::size_t stride = (axis.words.size() + most - 1) / std::max<std::size_t>(most, 1);
  for (std::size_t i = 0; i < axis.words.size(); i += std::max<std::size_t>(stride, 1)) {
    ticks.push_back({double(i), shortened(axis.words[i], letters)});
  }
  return ticks;
}

/// Pixels from one tick to the next.
double distance(const Axis& axis, const std::vector<Tick>& ticks, double pixels) {
  if (ticks.size() < 2) return std::numeric_limits<double>::infinity();
  const Range ends = places(axis);
  return pixels * (ticks[1].at - ticks[0].at) / (ends.high - ends.low);
}

std::size_t at_least_one(double count) { return std::size_t(std::max(1.0, count)); }

}  // namespace

Range with_room(Range range) {
  const double size = range.high - range.low;
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  const double room = size > kSame * largest ? 0.06 * size : std::max(0.05 * largest, 1e-6);
  return {range.low - room, range.high + room};
}

Axis axis_of_words(const std::string& title, const std::vector<std::string>& words) {
  return {title, {-0.5, double(words.size()) - 0.5}, false, words};
}

double place(const Axis& axis, double value) {
  if (!axis.is_log) return value;
  return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}

Range places(const Axis& axis) {
  const Range ends{place(axis, axis.range.low), place(axis, axis.range.high)};
  const bool has_room = axis.words.empty() && !(axis.is_tight && ends.low < ends.high);
  return has_room ? with_room(ends) : ends;
}

double widest_word(const std::vector<Tick>& ticks) {
  std::size_t most = 0;
  for (const Tick& tick : ticks) most = std::max(most, letters(tick.word));
  return double(most) * kLetter;
}

Ticks ticks_below(const Axis& axis, double pixels) {
  Ticks ticks;
  if (axis.words.empty()) {
    for (std::size_t most = at_least_one(pixels / 45); most >= 1; --most) {
      ticks.all = number_ticks(axis, most);
      if (widest_word(ticks.all) + kWordGap <= distance(axis, ticks.all, pixels)) break;
    }
  } else {
    ticks.all = word_ticks(axis, axis.words.size(), 1000);
    ticks.is_slanted = widest_word(ticks.all) + kWordGap > distance(axis, ticks.all, pixels);
    if (ticks.is_slanted) ticks.all = word_ticks(axis, at_least_one(pixels / kLine), kMostSlanted);
  }
  ticks.width = widest_word(ticks.all);
  ticks.height = ticks.is_slanted ? std::max(kLine, ticks.width * kSlant + kLine / 2) : kLine;
  return ticks;
}

Ticks ticks_beside(const Axis& axis, double pixels) {
  Ticks ticks;
  ticks.all = axis.words.empty() ? number_ticks(axis, at_least_one(pixels / 26))
                                 : word_ticks(axis, at_least_one(pixels / kLine), kMostBeside);
  ticks.width = widest_word(ticks.all);
  ticks.height = kLine;
  return ticks;
}

std::string tick_list(const std::vector<Tick>& ticks) {
  std::string out;
  for (const Tick& tick : ticks) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", quoted_tick(tick.word), number(tick.at));
  }
  return "(" + out + ")";
}

}  // namespace dlrun::plot
