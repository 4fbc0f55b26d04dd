// SPDX-License-Identifier: Apache-2.0
#include "libtorch/installer.hpp"

#include "util/shipped.hpp"

namespace dlrun::libtorch {

std::filesystem::path installer(const std::filesystem::path& program_folder) {
  return shipped(program_folder, "share/dlrun/third_party/install", "third_party/install");
}

}  // namespace dlrun::libtorch
