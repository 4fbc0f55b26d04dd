// SPDX-License-Identifier: Apache-2.0
// A folder that is gone, with all that is in it, when the object is.
#pragma once
#include <filesystem>
#include <string>

namespace dlrun {

class TemporaryFolder {
 public:
  /// @param what  begins its name. @throws Error(outside)
  explicit TemporaryFolder(const std::string& what);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace dlrun
