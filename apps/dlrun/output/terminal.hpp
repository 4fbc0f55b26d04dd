// SPDX-License-Identifier: Apache-2.0
// Abilities of the two output streams: colour, width, whether a person is looking.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace dlrun::cli {

/// Is file descriptor `fd` a terminal?
bool is_terminal(int fd);

/// Colour on `fd`? `when` is auto, always or never; auto asks NO_COLOR, CLICOLOR_FORCE, TERM=dumb and the descriptor,
/// in this order (no-color.org, bixense.com/clicolors).
bool wants_color(int fd, std::string_view when);

/// Columns of the terminal at `fd`: what the kernel says, else COLUMNS, else 80. 0 where `fd` is no terminal: nothing
/// is cut for a pipe or a file.
std::size_t terminal_width(int fd);

/// Lines of the terminal at `fd`: what the kernel says, else LINES, else 24. 0 where `fd` is no terminal.
std::size_t terminal_height(int fd);

/// Can lines be drawn again at `fd`? Not on a dumb terminal, and not where there is none.
bool can_redraw(int fd);

/// Marks up text, or leaves it as it is.
class Style {
 public:
  explicit Style(bool color = false) : color_(color) {}
  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string dim(std::string_view text) const { return paint("2", text); }
  std::string red(std::string_view text) const { return paint("31", text); }
  std::string green(std::string_view text) const { return paint("32", text); }
  std::string yellow(std::string_view text) const { return paint("33", text); }
  std::string cyan(std::string_view text) const { return paint("36", text); }
  bool color() const { return color_; }

 private:
  std::string paint(std::string_view code, std::string_view text) const;
  bool color_;
};

}  // namespace dlrun::cli
