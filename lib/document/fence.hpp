// SPDX-License-Identifier: Apache-2.0
// Limits of a document that somebody else wrote: files it may name, and no variable of the environment.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "document/diagnostic.hpp"
#include "document/node.hpp"

namespace dlrun::document {

/// Guarded parts of a document: the files that it is written in, or also every value that names a file, and the
/// environment, which is empty to it.
enum class Guarded { documents, values };

/// Folders whose files may be read. Links are followed before a path is compared, so none leads out.
class Fence {
 public:
  explicit Fence(const std::vector<std::filesystem::path>& folders, Guarded guarded = Guarded::values);
  bool guards_values() const { return guarded_ == Guarded::values; }
  /// Whether the path, or the place where it would be, lies in one of the folders.
  bool admits(const std::filesystem::path& path) const;
  /// Whether a text, read as a path from any of these folders, leads out of the fence. A text that names no file, such
  /// as `relu`, does not.
  bool is_left_by(const std::string& text, const std::vector<std::filesystem::path>& from) const;

 private:
  std::vector<std::filesystem::path> folders_;  ///< without links
  Guarded guarded_;
};

/// Reports every value of the tree that names a file outside of the fence. Paths may count from the folder of the
/// text in which they stand, from `from`, and from any folder that the tree names.
void require_inside(const Node& root, const Fence& fence, const std::vector<std::filesystem::path>& from,
                    Diagnostics& faults);

}  // namespace dlrun::document
