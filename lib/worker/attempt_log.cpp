// SPDX-License-Identifier: Apache-2.0
#include "worker/attempt_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "util/error.hpp"
#include "util/files.hpp"
#include "util/units.hpp"

namespace dlrun::worker {

namespace {

void write_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

}  // namespace

std::string last_lines(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  text.remove_prefix(text.size() - limit);
  const std::size_t newline = text.find('\n');
  if (newline != std::string_view::npos && newline + 1 < text.size()) text.remove_prefix(newline + 1);
  return std::string(text);
}

AttemptLog::~AttemptLog() {
  if (fd_ >= 0) ::close(fd_);
}

std::string AttemptLog::tail() const { return last_lines(tail_, kTail); }

void AttemptLog::open() {
  is_opened_ = true;
  if (folder_.empty()) return;
  try {
    make_folders(folder_);
  } catch (const Error&) {
    return;
  }
  fd_ = ::open((folder_ / "attempt.log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
}

void AttemptLog::append(std::string_view line) {
  if (!is_opened_) open();
  const std::string whole = std::string(line) + '\n';
  tail_ += whole;
  if (tail_.size() > 4 * kTail) tail_ = last_lines(tail_, kTail);
  if (fd_ < 0 || bytes_ > limit_) return;
  bytes_ += static_cast<std::int64_t>(whole.size());
  if (bytes_ <= limit_) return write_whole(fd_, whole);
  write_whole(fd_, "dlrun: this log has reached its limit of " + bytes_text(double(limit_)) +
                       " (resources.log_mb), more is not written\n");
}

}  // namespace dlrun::worker
