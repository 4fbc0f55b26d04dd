// SPDX-License-Identifier: Apache-2.0
#include "cpsat/library.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace dlrun::cpsat {

namespace fs = std::filesystem;

namespace {

constexpr const char* kLibrary = "libortools.so.";
constexpr const char* kInWheel = "ortools/.libs";

/// Entries whose names begin so, by name.
std::vector<fs::path> entries_like(const fs::path& folder, const std::string& begin) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().filename().string().starts_with(begin)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

fs::path library_in(const fs::path& folder) {
  const auto found = entries_like(folder, kLibrary);
  return found.empty() ? fs::path() : found.front();
}

fs::path library_of_environment(const fs::path& prefix) {
  if (prefix.empty()) return {};
  for (const fs::path& python : entries_like(prefix / "lib", "python3")) {
    if (fs::path found = library_in(python / "site-packages" / kInWheel); !found.empty()) return found;
  }
  return {};
}

}  // namespace

fs::path find_library(const fs::path& chosen, const libtorch::Surroundings& around) {
  if (!chosen.empty()) return fs::is_directory(chosen) ? library_in(chosen) : chosen;
  const fs::path site = around.program_folder.parent_path().parent_path();
  std::vector<fs::path> found{library_in(site / kInWheel), library_of_environment(around.venv),
                              library_of_environment(around.conda)};
  for (const fs::path& folder : entries_like(around.cache, "ortools-")) found.push_back(library_in(folder / kInWheel));
  const auto first = std::find_if(found.begin(), found.end(), [](const fs::path& path) { return !path.empty(); });
  return first == found.end() ? fs::path() : *first;
}

fs::path find_library() {
  const char* chosen = std::getenv("DLRUN_ORTOOLS");
  return find_library(chosen == nullptr ? fs::path() : fs::path(chosen), libtorch::surroundings());
}

std::string install_hint() {
  return "third_party/install --only-solver, or in dlrun's environment pip install --no-deps ortools==" +
         std::string(DLRUN_ORTOOLS_VERSION);
}

}  // namespace dlrun::cpsat
