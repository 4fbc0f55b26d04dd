// SPDX-License-Identifier: Apache-2.0
// The log of one attempt: `attempt.log` in its folder, which is made with the first line. Most attempts write none.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace dlrun::worker {

class AttemptLog {
 public:
  static constexpr std::size_t kTail = 4096;  ///< bytes kept for the lineage

  /// @param limit  bytes written to the file; a last line says that more came
  AttemptLog(std::filesystem::path folder, std::int64_t limit) : folder_(std::move(folder)), limit_(limit) {}
  ~AttemptLog();
  AttemptLog(const AttemptLog&) = delete;
  AttemptLog& operator=(const AttemptLog&) = delete;

  /// Adds the line and a newline. A log that cannot be written is no reason to fail an attempt: it is then kept in
  /// memory only.
  void append(std::string_view line);
  /// The last whole lines, at most kTail bytes.
  std::string tail() const;

 private:
  void open();

  std::filesystem::path folder_;
  std::int64_t limit_;
  int fd_ = -1;
  bool is_opened_ = false;
  std::int64_t bytes_ = 0;
  std::string tail_;
};

/// The last whole lines of `text` within `limit` bytes.
std::string last_lines(std::string_view text, std::size_t limit);

}  // namespace dlrun::worker
