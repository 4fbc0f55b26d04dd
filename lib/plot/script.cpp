// SPDX-License-Identifier: Apache-2.0
#include "plot/script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "plot/palette.hpp"
#include "util/utf8.hpp"

namespace dlrun::plot {

namespace {

/// Byte at which letter `n` begins; the end of the text where there are fewer.
std::size_t offset_of(std::string_view text, std::size_t n) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!continues_character(text[at]) && n-- == 0) break;
  }
  return at;
}

constexpr double kMargin = 12;
constexpr double kSmaller = 0.92;  // letters of the remark

/// A mark, its word and the gap to the next one, in pixels.
double width_of(const Group& group) { return 32 + double(letters(group.word)) * kLetter; }

}  // namespace

namespace {

char without_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c; }

/// In double quotes, where gnuplot would expand more: characters that it may expand are written by their octal numbers.
std::string in_two_quotes(std::string_view text) {
  constexpr std::string_view kExpanded = "\"\\`@";
  std::string out = "\"";
  for (const char c : text) {
    const bool is_plain = kExpanded.find(c) == std::string_view::npos;
    out += is_plain ? std::string(1, without_control(c)) : fmt::format("\\{:03o}", unsigned(c));
  }
  return out + "\"";
}

}  // namespace

std::string in_quotes(std::string_view text) {
  if (text.starts_with('\'')) return in_two_quotes(text);  // gnuplot 5.4 reads ''' as the end of an empty label
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, without_control(c));
  return out + "'";
}

std::string quoted_tick(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '%' ? "%%" : std::string(1, c);
  return in_quotes(out);
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.9g}", value) : "NaN"; }

std::string signed_number(double value, int decimals) {
  std::string text = fmt::format("{:+.{}f}", value, decimals);
  if (text[0] == '-') text.replace(0, 1, "−");
  return text;
}

std::size_t letters(std::string_view text) {
  return std::size_t(std::count_if(text.begin(), text.end(), std::not_fn(continues_character)));
}

std::string shortened(std::string_view text, std::size_t most) {
  const std::size_t count = letters(text);
  if (count <= most || most < 3) return std::string(text);
  const std::size_t back = (most - 1) / 2, front = most - 1 - back;
  return std::string(text.substr(0, offset_of(text, front))) + "…" +
         std::string(text.substr(offset_of(text, count - back)));
}

std::string data(const std::string& name, const std::vector<std::vector<double>>& rows) {
  std::string out = "$" + name + " << EOD\n";
  for (const std::vector<double>& row : rows) {
    std::vector<std::string> words;
    std::transform(row.begin(), row.end(), std::back_inserter(words), number);
    out += fmt::format("{}\n", fmt::join(words, " "));
  }
  return out + "EOD\n";
}

std::string margins(const Picture& picture, const Margins& at) {
  return fmt::format(
      "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n",
      at.left / picture.width, 1 - at.right / picture.width, 1 - at.top / picture.height, at.bottom / picture.height);
}

double heading_height(std::string_view remark, const std::vector<Group>& key) {
  return 34 + (remark.empty() ? 0 : 18) + (key.empty() ? 0 : 28);
}

double heading_width(std::string_view title, std::string_view remark, const std::vector<Group>& key) {
  double words = kMargin;
  for (const Group& group : key) words += width_of(group);
  return std::max({kMargin + double(letters(title)) * kLetter * 1.2,
                   kMargin + double(letters(remark)) * kLetter * kSmaller, words}) +
         kMargin;
}

std::string heading(const Picture& picture, std::string_view remark, const std::vector<Group>& key) {
  const auto at = [&](double x, double y) {
    return fmt::format("at screen {:.5f}, screen {:.5f} left front", x / picture.width, 1 - y / picture.height);
  };
  std::string out =
      fmt::format("set label {} {} font ',14' tc rgb '{}'\n", in_quotes(picture.title), at(kMargin, 20), kText);
  if (!remark.empty())
    out += fmt::format("set label {} {} font ',11' tc rgb '{}'\n", in_quotes(remark), at(kMargin, 40), kQuiet);
  double x = kMargin + 6;
  for (const Group& group : key) {
    out += fmt::format("set label {} {} tc rgb '{}' point pt {} ps 0.9 lw 2 lc rgb '{}' offset character 1.2, 0\n",
                       in_quotes(group.word), at(x, heading_height(remark, key) - 14), kText, int(group.shape),
                       group.color);
    x += width_of(group);
  }
  return out;
}

std::string style() {
  return fmt::format(
      "set encoding utf8\nset datafile missing 'NaN'\nset border 0\nset tics scale 0 textcolor rgb '{0}'\n"
      "set xlabel textcolor rgb '{0}'\nset ylabel textcolor rgb '{0}'\n"
      "set minussign\nset grid xtics back lt 1 lw 1 lc rgb '{1}'\nunset key\n",
      kText, kGrid);
}

int decimals_for(double largest) {
  if (!(largest > 0) || !std::isfinite(largest)) return 1;
  return std::clamp(1 - int(std::floor(std::log10(largest))), 0, 9);
}

}  // namespace dlrun::plot
