// SPDX-License-Identifier: Apache-2.0
// One writer per study. An open-file-description lock goes away with its holder however that ends, so no stale lock
// needs judging; the file's text only says who it is. Where the holder neither works nor ends, another file takes the
// lock's place: what is locked then is not what its holder has.
#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace dlrun::storage {

class WriterLock {
 public:
  /// @param what  for the message: "study 'x'", "the store".
  /// @throws Error(store) naming host, process and start time of whoever holds it; Error(outside) cannot be made.
  WriterLock(const std::filesystem::path& file, const std::string& what);
  /// The lock, as soon as whoever holds it ends; nullopt: it is held for longer than that. @throws Error(outside).
  static std::optional<WriterLock> wait_for(const std::filesystem::path& file, std::chrono::milliseconds most);
  WriterLock(WriterLock&& other) noexcept : file_(std::move(other.file_)), fd_(std::exchange(other.fd_, -1)) {}
  WriterLock& operator=(WriterLock&&) = delete;
  ~WriterLock();
  /// False: it was revoked.
  bool is_ours() const;
  /// Whether somebody holds the lock just now.
  static bool is_held(const std::filesystem::path& file);
  /// Process that took the lock last: "process 12 on node3 since 2026-11-20T08:00:00Z".
  static std::string holder(const std::filesystem::path& file);
  /// Takes the lock from its holder; the next process that asks gets it. @throws Error(outside).
  static void revoke(const std::filesystem::path& file);

 private:
  WriterLock(std::filesystem::path file, int fd) : file_(std::move(file)), fd_(fd) {}

  std::filesystem::path file_;
  int fd_ = -1;
};

/// Name of this machine.
std::string host_name();

}  // namespace dlrun::storage
