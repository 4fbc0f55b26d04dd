// SPDX-License-Identifier: Apache-2.0
// Copies of folders with golden files, in which a test works.
#pragma once
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace dlrun::support {

/// A copy of a folder, in which the test works: its name is short, and messages cut long paths.
class ShortCopy {
 public:
  explicit ShortCopy(const std::filesystem::path& folder)
      : folder_(folder),
        place_(std::filesystem::temp_directory_path() / ("dlrun-golden-" + std::to_string(::getpid()))) {
    ::setenv("XDG_CACHE_HOME", (place_ / "cache").c_str(), 1);
    std::filesystem::create_directory(place_);
    std::filesystem::copy(folder, place_ / "copy", std::filesystem::copy_options::recursive);
    std::filesystem::current_path(place_ / "copy");
  }
  ~ShortCopy() {
    std::filesystem::current_path(folder_);
    std::filesystem::remove_all(place_);
  }
  ShortCopy(const ShortCopy&) = delete;
  ShortCopy& operator=(const ShortCopy&) = delete;

 private:
  std::filesystem::path folder_, place_;
};

}  // namespace dlrun::support
