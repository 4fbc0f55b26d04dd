// SPDX-License-Identifier: Apache-2.0
// The folder of a driver's socket: short, private, the same for the same study, so that nothing piles up after crashes.
#pragma once
#include <filesystem>
#include <string>
#include <utility>

namespace dlrun::executor {

/// XDG_RUNTIME_DIR/dlrun-<hash of `identity`>, or TMPDIR (/tmp)/dlrun-<uid>-<hash>; made 0700.
/// @throws Error(usage) if the socket in it would have more than 107 bytes, or if somebody else owns the folder.
std::filesystem::path runtime_folder(const std::string& identity);

/// Deletes that folder at its end, if nothing is in it any more.
class RuntimeFolderEnd {
 public:
  explicit RuntimeFolderEnd(std::string identity) : identity_(std::move(identity)) {}
  ~RuntimeFolderEnd();
  RuntimeFolderEnd(const RuntimeFolderEnd&) = delete;
  RuntimeFolderEnd& operator=(const RuntimeFolderEnd&) = delete;

 private:
  std::string identity_;
};

/// Path of the socket in such a folder.
std::filesystem::path socket_in(const std::filesystem::path& folder);

}  // namespace dlrun::executor
