// SPDX-License-Identifier: Apache-2.0
// The newest lines of logs that grow, of many files together.
#pragma once
#include <cstddef>
#include <deque>
#include <filesystem>
#include <map>
#include <string>

namespace dlrun::cli {

class LogLines {
 public:
  static constexpr std::size_t kMost = 200;            ///< lines that are kept
  static constexpr std::size_t kMostBytes = 64 << 10;  ///< most bytes of a file at once; older ones are passed over

  /// Adds whole lines that the file has grown by, or all of a file that has shrunk. Of a line that a program writes
  /// over (carriage returns) the last state counts. Lines are marked with the label and hold no control characters.
  void read_new_lines(const std::string& label, const std::filesystem::path& file);
  /// Oldest first.
  const std::deque<std::string>& lines() const { return lines_; }

 private:
  std::map<std::filesystem::path, std::uintmax_t> positions_;
  std::deque<std::string> lines_;
};

}  // namespace dlrun::cli
