// SPDX-License-Identifier: Apache-2.0
// A folder that an export writes: beside its place first, then renamed, so that it is there as a whole or not at all.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace dlrun::exchange {

struct FolderOptions {
  std::filesystem::path path;
  std::string kind;             ///< tensorboard | mlflow | csv; an earlier export of the same kind is replaced
  bool may_replace = false;     ///< anything else, too
  std::filesystem::path store;  ///< a folder that holds it or is a part of it is never replaced
};

class ExportFolder {
 public:
  /// Removes the drafts of killed exports to the same place.
  /// @throws Error(usage) the folder above is missing, or the place is taken by something that may not be replaced.
  explicit ExportFolder(const FolderOptions& options);
  /// Removes what was written, unless it was kept.
  ~ExportFolder();
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  /// Writes a file, and makes the folders that it lies in.
  /// @param name  relative, made of names of ours or of safe_names.hpp
  void write(const std::filesystem::path& name, std::string_view bytes);
  /// Path of a file that the caller writes; its folder is made.
  std::filesystem::path place(const std::filesystem::path& name);
  /// Puts the folder into its place. What was there is removed. @throws Error(outside).
  void keep();
  /// The place, as an absolute path without links.
  const std::filesystem::path& final_path() const { return path_; }

 private:
  std::filesystem::path path_, draft_;
  bool is_kept_ = false;
};

}  // namespace dlrun::exchange
