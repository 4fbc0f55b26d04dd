// SPDX-License-Identifier: Apache-2.0
#include "util/shipped.hpp"

namespace dlrun {

namespace fs = std::filesystem;

fs::path shipped(const fs::path& programs, const std::string& installed, const std::string& in_checkout) {
  constexpr int kMostSteps = 4;  // CHECKOUT/build/release/bin
  std::error_code none;
  fs::path folder = programs;
  for (int i = 0; i < kMostSteps && folder.has_relative_path(); ++i, folder = folder.parent_path()) {
    for (const fs::path& candidate : {folder / installed, folder / in_checkout}) {
      if (fs::exists(candidate, none)) return candidate;
    }
  }
  return {};
}

}  // namespace dlrun
