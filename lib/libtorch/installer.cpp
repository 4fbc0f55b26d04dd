// SPDX-License-Identifier: Apache-2.0
#include "libtorch/installer.hpp"

namespace dlrun::libtorch {

namespace fs = std::filesystem;

fs::path installer(const fs::path& program_folder) {
  constexpr const char* kScript = "third_party/install";
  constexpr int kMostSteps = 4;  // CHECKOUT/build/release/bin
  std::error_code none;
  fs::path folder = program_folder;
  for (int i = 0; i < kMostSteps && folder.has_relative_path(); ++i, folder = folder.parent_path()) {
    for (const fs::path& script : {folder / "share/dlrun" / kScript, folder / kScript}) {
      if (fs::is_regular_file(script, none)) return script;
    }
  }
  return {};
}

}  // namespace dlrun::libtorch
