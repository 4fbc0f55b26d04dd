// SPDX-License-Identifier: Apache-2.0
#include "plot/gnuplot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plot/program.hpp"
#include "util/error.hpp"

namespace dlrun::plot {

namespace {

/// The line after gnuplot's arrow says what is wrong.
std::string fault_of(const Said& said) {
  const std::size_t last = said.error.find_last_not_of(" \n\t");
  if (last == std::string::npos) return "it says nothing";
  const std::size_t begin = said.error.find_last_of('\n', last);
  const std::string line = said.error.substr(begin == std::string::npos ? 0 : begin + 1, last - begin);
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

std::string terminal(const Picture& picture, Form form) {
  if (form == Form::svg) {
    return fmt::format("set terminal svg size {},{} dynamic font 'sans-serif,12' background 'white' noenhanced\n",
                       picture.width, picture.height);
  }
  if (form == Form::pdf) {  // inches of 96 pixels
    return fmt::format("set terminal pdfcairo size {:.3f}in,{:.3f}in font 'sans-serif,9' noenhanced\n",
                       picture.width / 96.0, picture.height / 96.0);
  }
  return fmt::format(
      "set terminal pngcairo size {},{} font 'sans-serif,12' fontscale 1.5 linewidth 2 pointscale 2 noenhanced\n",
      2 * picture.width, 2 * picture.height);
}

}  // namespace

const char* ending(Form form) {
  if (form == Form::pdf) return "pdf";
  return form == Form::svg ? "svg" : "png";
}

std::optional<std::string> gnuplot_version() {
  const auto said = run_program({"gnuplot", "--version"}, "");
  if (!said || !said->is_fine) return std::nullopt;
  return said->out.substr(0, said->out.find('\n'));
}

std::string drawn(const Picture& picture, Form form) {
  const auto said = run_program({"gnuplot", "-d"}, terminal(picture, form) + picture.program);
  if (!said) {
    throw Error(ErrorKind::usage, "pictures are drawn by gnuplot, and there is none in PATH",
                "install it (Debian: gnuplot-nox)");
  }
  if (!said->is_fine || said->out.empty()) {
    throw Error(ErrorKind::outside, "gnuplot could not draw '" + picture.name + "': " + fault_of(*said));
  }
  return said->out;
}

}  // namespace dlrun::plot
