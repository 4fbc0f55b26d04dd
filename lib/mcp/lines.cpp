// SPDX-License-Identifier: Apache-2.0
#include "mcp/lines.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace dlrun::mcp {

void LineSplitter::feed(const char* bytes, std::size_t count) {
  for (const char* const end = bytes + count; bytes != end;) {
    const char* const stop = std::find(bytes, end, '\n');
    if (!is_dropping_) open_.append(bytes, stop);
    if (open_.size() > most_) {
      is_dropping_ = true;
      open_ = {};
    }
    if (stop == end) return;
    end_line();
    bytes = stop + 1;
  }
}

void LineSplitter::finish() {
  if (is_dropping_ || !open_.empty()) end_line();
}

void LineSplitter::end_line() {
  if (!open_.empty() && open_.back() == '\r') open_.pop_back();
  lines_.push_back({std::exchange(open_, {}), std::exchange(is_dropping_, false)});
}

std::optional<Line> LineSplitter::next() {
  if (lines_.empty()) return std::nullopt;
  Line line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

bool Lines::is_readable() const {
  pollfd wanted{fd_, POLLIN, 0};
  return ::poll(&wanted, 1, 0) > 0;
}

/// @return false at the end
bool Lines::read_some() {
  if (has_ended_) return false;
  std::array<char, 65536> buffer;
  ssize_t got = 0;
  while ((got = ::read(fd_, buffer.data(), buffer.size())) < 0 && errno == EINTR) continue;
  has_ended_ = got <= 0;
  if (has_ended_) {
    splitter_.finish();
  } else {
    splitter_.feed(buffer.data(), std::size_t(got));
  }
  return true;
}

std::optional<Line> Lines::wait() {
  for (;;) {
    if (auto line = splitter_.next()) return line;
    if (!read_some()) return std::nullopt;
  }
}

std::optional<Line> Lines::next_ready() {
  for (;;) {
    if (auto line = splitter_.next()) return line;
    if (has_ended_ || !is_readable() || !read_some()) return std::nullopt;
  }
}

}  // namespace dlrun::mcp
