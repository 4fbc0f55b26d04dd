// SPDX-License-Identifier: Apache-2.0
#include "plotly.hpp"

#include <cstdlib>

#include "util/files.hpp"

namespace dlrun::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostScript = 50'000'000;

}  // namespace

fs::path plotly_file(const fs::path& chosen, const libtorch::Surroundings& around) {
  std::error_code none;
  if (!chosen.empty()) return chosen;
  const fs::path version = std::string("plotly-") + DLRUN_PLOTLY_VERSION;
  for (const fs::path& file : {around.program_folder.parent_path() / "share/dlrun/plotly/plotly.min.js",
                               around.cache / version / "plotly/package_data/plotly.min.js"}) {
    if (fs::is_regular_file(file, none)) return file;
  }
  return {};
}

std::string plotly_text() {
  const char* chosen = std::getenv("DLRUN_PLOTLY");
  const fs::path file = plotly_file(chosen == nullptr ? fs::path() : fs::path(chosen), libtorch::surroundings());
  return file.empty() ? std::string() : read_file(file, kMostScript);
}

}  // namespace dlrun::cli
