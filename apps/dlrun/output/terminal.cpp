// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace dlrun::cli {

namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// One side of the terminal's size.
std::size_t side(int fd, unsigned short winsize::*which, const char* variable, std::size_t usual) {
  if (!is_terminal(fd)) return 0;
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.*which > 0) return size.*which;
  const int said = std::atoi(std::string(environment(variable)).c_str());  // NOLINT(cert-err34-c): 0 is "unknown"
  return said > 0 ? std::size_t(said) : usual;
}

}  // namespace

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

bool wants_color(int fd, std::string_view when) {
  if (when == "always") return true;
  if (when == "never") return false;
  if (!environment("NO_COLOR").empty()) return false;
  const std::string_view force = environment("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return is_terminal(fd) && environment("TERM") != "dumb";
}

std::size_t terminal_width(int fd) { return side(fd, &winsize::ws_col, "COLUMNS", 80); }

std::size_t terminal_height(int fd) { return side(fd, &winsize::ws_row, "LINES", 24); }

bool can_redraw(int fd) {
  const std::string_view term = environment("TERM");
  return is_terminal(fd) && !term.empty() && term != "dumb";
}

std::string Style::paint(std::string_view code, std::string_view text) const {
  if (!color_) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace dlrun::cli
