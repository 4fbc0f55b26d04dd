// SPDX-License-Identifier: Apache-2.0
// A file that is there as a whole or not at all.
#pragma once
#include <filesystem>
#include <string>

#include "util/error.hpp"

namespace dlrun::cli {

/// A pipe or a device is written as it is, never replaced.
bool is_special(const std::filesystem::path& path);

/// Names in a store's own folder that only dlrun writes.
bool is_of_store(const std::filesystem::path& name);

/// @throws Error(usage) where the file would be a study's, an artifact or another one of the store's own.
void require_outside(const std::filesystem::path& store, const std::filesystem::path& file);

/// @throws Error(usage) where the folder is missing, or the file is there and may not be replaced.
void require_target(const std::filesystem::path& file, bool may_replace);

/// Before work whose result `-o FILE` takes. `-` is standard output.
/// @throws Error(usage) where the folder is missing.
void require_folder(const std::filesystem::path& file);

/// As require_folder(), of verbs that replace no file.  @throws Error(usage) where the file is there, too.
void require_new_file(const std::filesystem::path& file);

/// File without a name until it is kept, where the file system can do that: what is killed leaves nothing behind.
/// Elsewhere it is FILE.part until then.
class NewFile {
 public:
  /// @throws Error(usage) where the folder is missing; Error(outside).
  explicit NewFile(const std::filesystem::path& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  int fd() const { return fd_; }
  /// Puts the file on the disk under its name, in place of what was there. @throws Error(outside).
  void keep();

 private:
  [[noreturn]] void fail(ErrorKind kind, int fault) const;
  bool give_name() const;

  std::filesystem::path path_;
  std::string part_;  ///< the name until it is kept
  bool is_nameless_ = false;
  int fd_ = -1;
};

}  // namespace dlrun::cli
