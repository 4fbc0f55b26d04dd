// SPDX-License-Identifier: Apache-2.0
// A folder of the store for files that are on their way in or out: on the same disk as artifacts/, so that a rename or
// a hard link takes them across.
#pragma once
#include <filesystem>
#include <optional>

#include "storage/lock.hpp"

namespace dlrun::storage {

/// <store>/staging/<process>.<time>, gone with the object. Its lock tells sweep() that somebody is at work in it.
class Staging {
 public:
  /// @throws Error(outside).
  explicit Staging(const std::filesystem::path& store);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Deletes files of owners that were killed. Files that cannot be deleted cost disk only.
  static void sweep(const std::filesystem::path& store);

 private:
  std::filesystem::path path_;
  std::optional<WriterLock> lock_;
};

}  // namespace dlrun::storage
