// SPDX-License-Identifier: Apache-2.0
// Lines at the bottom of a terminal that are drawn again in their place.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "output/live_view.hpp"

namespace dlrun::cli {

/// Moves the cursor up and clears, and no more: what was printed before stays, and there is no second screen to leave.
/// The size of the terminal is asked for each time, so a resized one is right with the next drawing.
class Screen {
 public:
  explicit Screen(int fd) : fd_(fd) {}

  /// Room of the terminal now.
  Room room() const;
  /// Replaces the lines that were drawn last. Nothing is drawn while the terminal takes nothing in (Ctrl-S): the caller
  /// must not wait for it. REQUIRES: the lines fit into room().
  void draw(const std::vector<std::string>& lines);
  /// Prints a text above the lines.
  void print(std::string_view text);
  /// Takes the lines away.
  void clear();
  /// Has the terminal been closed?
  bool is_gone() const { return is_gone_; }

 private:
  std::string to_the_top() const;
  bool is_ready();
  void write(std::string_view text);

  int fd_;
  std::vector<std::string> lines_;  ///< as drawn
  std::size_t columns_ = 0;         ///< width of the terminal at that time
  bool is_gone_ = false;
};

}  // namespace dlrun::cli
