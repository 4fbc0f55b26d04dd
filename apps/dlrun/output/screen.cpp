// SPDX-License-Identifier: Apache-2.0
#include "output/screen.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "output/terminal.hpp"
#include "output/text_width.hpp"

namespace dlrun::cli {

namespace {

constexpr const char* kClearBelow = "\x1b[J";
constexpr const char* kNextLine = "\x1b[K\n";  // clears the rest of the line that ends

/// Lines as one text, the cursor at its end.
std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}{}", fmt::join(lines, kNextLine), kClearBelow);
}

}  // namespace

Room Screen::room() const { return {terminal_width(fd_), terminal_height(fd_)}; }

/// Terminals fold lines that have become too long when they are made narrower.
std::string Screen::to_the_top() const {
  const std::size_t columns = terminal_width(fd_);
  std::size_t rows = 0;
  for (const std::string& line : lines_) {
    const std::size_t width = display_width(line);
    const bool is_folded = columns > 0 && columns < columns_ && width > columns;
    rows += is_folded ? (width + columns - 1) / columns : 1;
  }
  return rows > 1 ? fmt::format("\r\x1b[{}A", rows - 1) : "\r";
}

bool Screen::is_ready() {
  pollfd asked{fd_, POLLOUT, 0};
  if (::poll(&asked, 1, 0) <= 0) return false;
  if (asked.revents & (POLLERR | POLLHUP | POLLNVAL)) is_gone_ = true;
  return !is_gone_;
}

void Screen::write(std::string_view text) {
  while (!text.empty() && !is_gone_) {
    const ssize_t written = ::write(fd_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) is_gone_ = true;
    if (written > 0) text.remove_prefix(std::size_t(written));
  }
}

void Screen::draw(const std::vector<std::string>& lines) {
  const std::size_t columns = terminal_width(fd_);
  if ((lines == lines_ && columns == columns_) || !is_ready()) return;
  write(to_the_top() + joined(lines));
  lines_ = lines;
  columns_ = columns;
}

void Screen::print(std::string_view text) {
  write(to_the_top() + kClearBelow + std::string(text) + (lines_.empty() ? "" : joined(lines_)));
  columns_ = terminal_width(fd_);
}

void Screen::clear() {
  write(to_the_top() + kClearBelow);
  lines_.clear();
}

}  // namespace dlrun::cli
