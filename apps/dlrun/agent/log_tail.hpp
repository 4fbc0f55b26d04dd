// SPDX-License-Identifier: Apache-2.0
// The last lines of logs, within bounds, however long the logs are.
#pragma once
#include <cstddef>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

namespace dlrun::cli::agent {

class LogTail {
 public:
  explicit LogTail(std::size_t most_lines) : most_(most_lines) {}
  /// Adds the last 64 kB of a file; a file that is gone adds nothing.
  void add_file(const std::filesystem::path& file);
  void append(const std::string& text);
  bool is_empty() const { return lines_.empty(); }
  bool is_whole() const { return is_whole_; }  ///< no line was left out
  std::vector<std::string> lines() const { return {lines_.begin(), lines_.end()}; }

 private:
  void add_line(std::string line);

  std::size_t most_, bytes_ = 0;
  std::deque<std::string> lines_;
  bool is_whole_ = true;
};

}  // namespace dlrun::cli::agent
