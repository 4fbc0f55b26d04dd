// SPDX-License-Identifier: Apache-2.0
// One writer per study. An open-file-description lock goes away with its holder however that ends, so no stale lock
// needs judging; the file's text only says who it is.
#pragma once
#include <filesystem>
#include <string>

namespace dlrun::storage {

class WriterLock {
 public:
  /// @param what  for the message: "study 'x'", "the store".
  /// @throws Error(store) naming host, process and start time of whoever holds it; Error(outside) cannot be made.
  WriterLock(const std::filesystem::path& file, const std::string& what);
  WriterLock(WriterLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  WriterLock& operator=(WriterLock&&) = delete;
  ~WriterLock();
  /// Is it held by somebody just now?
  static bool is_held(const std::filesystem::path& file);

 private:
  int fd_ = -1;
};

/// Name of this machine.
std::string host_name();

}  // namespace dlrun::storage
