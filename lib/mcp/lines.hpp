// SPDX-License-Identifier: Apache-2.0
// Lines of a descriptor, none of them longer than a limit.
#pragma once
#include <cstddef>
#include <deque>
#include <optional>
#include <string>

namespace dlrun::mcp {

/// Text of one line, without its end.
struct Line {
  std::string text;
  bool is_too_long = false;  ///< the text was dropped
};

/// Splits bytes into lines; it holds at most `most` bytes of a line that has not ended yet.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t most) : most_(most) {}
  void feed(const char* bytes, std::size_t count);
  /// The stream has ended: bytes behind the last line end are a line too.
  void finish();
  std::optional<Line> next();

 private:
  void end_line();

  std::size_t most_;
  std::string open_;
  bool is_dropping_ = false;
  std::deque<Line> lines_;
};

/// Reads lines from a descriptor, which it does not close.
class Lines {
 public:
  Lines(int fd, std::size_t most) : fd_(fd), splitter_(most) {}
  /// The next line; waits for it. Nothing at the end of the stream.
  std::optional<Line> wait();
  /// The next line if it is here already; does not wait.
  std::optional<Line> next_ready();

 private:
  bool read_some();
  bool is_readable() const;

  int fd_;
  bool has_ended_ = false;
  LineSplitter splitter_;
};

}  // namespace dlrun::mcp
