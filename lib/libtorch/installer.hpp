// SPDX-License-Identifier: Apache-2.0
// The script that fetches libtorch into dlrun's cache.
#pragma once
#include <filesystem>

namespace dlrun::libtorch {

/// third_party/install, which builds use too: in share/dlrun of an installation, or in the checkout above a build
/// folder. Empty if it is not there.
std::filesystem::path installer(const std::filesystem::path& program_folder);

}  // namespace dlrun::libtorch
