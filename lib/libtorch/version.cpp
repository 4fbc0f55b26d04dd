// SPDX-License-Identifier: Apache-2.0
#include "libtorch/version.hpp"

#include <fmt/format.h>

#include <regex>
#include <string_view>

#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::libtorch {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostBytes = 1 << 16;  // size of a file that names a version

/// Text of a file; empty for one that cannot be read.
std::string text_of(const fs::path& file) {
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return {};
  try {
    return read_file(file, kMostBytes);
  } catch (const Error&) {
    return {};
  }
}

std::string group_of(const std::string& text, const char* pattern) {
  std::smatch found;
  return std::regex_search(text, found, std::regex(pattern)) ? found.str(1) : std::string();
}

std::string python_version(const fs::path& folder) {
  return group_of(text_of(folder / "version.py"), "__version__ *= *['\"]([^'\"]+)");
}

std::string header_version(const fs::path& folder) {
  for (const char* header : {"torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"}) {
    const std::string text = text_of(folder / "include" / header);
    const std::string major = group_of(text, "TORCH_VERSION_MAJOR +([0-9]+)");
    const std::string minor = group_of(text, "TORCH_VERSION_MINOR +([0-9]+)");
    const std::string patch = group_of(text, "TORCH_VERSION_PATCH +([0-9]+)");
    if (!major.empty() && !minor.empty() && !patch.empty()) {
      return fmt::format("{}.{}.{}", major, minor, patch);
    }
  }
  return {};
}

std::string package_version(const fs::path& folder) {
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.parent_path(), none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("torch-") && name.ends_with(".dist-info")) return group_of(name, "^torch-(.*)\\.dist-info$");
  }
  return {};
}

}  // namespace

std::string version_of(const fs::path& folder) {
  for (const auto read : {python_version, header_version, package_version}) {
    std::string version = read(folder);
    if (!version.empty()) return version;
  }
  return {};
}

std::string without_build(const std::string& version) { return version.substr(0, version.find('+')); }

}  // namespace dlrun::libtorch
