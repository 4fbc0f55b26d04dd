// SPDX-License-Identifier: Apache-2.0
// The version of a libtorch, read from its files.
#pragma once
#include <filesystem>
#include <string>

namespace dlrun::libtorch {

/// Version of the torch package or libtorch distribution in `folder`, such as "2.11.0+cpu"; empty if no file says it.
/// Sources, the first wins: version.py, the header version.h, the folder torch-VERSION.dist-info beside `folder`.
std::string version_of(const std::filesystem::path& folder);

/// "2.11.0+cpu" without its build: "2.11.0". Builds of one version have the same ABI.
std::string without_build(const std::string& version);

}  // namespace dlrun::libtorch
