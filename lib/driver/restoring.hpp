// SPDX-License-Identifier: Apache-2.0
// The command that brings the artifacts of a trial back.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace dlrun::driver {

/// Option " --store FOLDER" of a command; empty if the folder is the default one. @param folder  of the store
std::string store_option(const std::filesystem::path& folder);

/// "`dlrun reproduce digits/3 --restore --store FOLDER` trains it again and puts it back": what `digits/3` made.
std::string restore_hint(const std::string& study, std::int64_t trial, const std::filesystem::path& folder);

}  // namespace dlrun::driver
