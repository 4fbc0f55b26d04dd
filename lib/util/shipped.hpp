// SPDX-License-Identifier: Apache-2.0
// Files that come with our programs; libraries are found by own_library() of util/files.hpp.
#pragma once
#include <filesystem>
#include <string>

namespace dlrun {

/// Path of a file or folder that comes with the programs of a folder: `installed` below the prefix of an installation,
/// else `in_checkout` of the checkout to which their build belongs. Empty where there is neither.
std::filesystem::path shipped(const std::filesystem::path& programs, const std::string& installed,
                              const std::string& in_checkout);

}  // namespace dlrun
