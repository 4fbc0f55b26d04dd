// SPDX-License-Identifier: Apache-2.0
// Questions to git about the work tree that a folder lies in. Without git, outside of a work tree and past a time limit
// there is no answer, and that is no fault.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dlrun::driver {

/// Commit that is checked out; empty: not known.
std::string git_revision(const std::filesystem::path& folder);

/// Do files that git follows differ from the commit? True as well where git does not say.
bool has_git_changes(const std::filesystem::path& folder);

/// Changes of all files since the commit, for `git apply`, below a line "# not in git: FILE" for each of `files` that
/// git does not follow. nullopt: not known, or more than 64 MB.
/// @param files  relative to the folder
std::optional<std::string> git_changes(const std::filesystem::path& folder, const std::vector<std::string>& files);

}  // namespace dlrun::driver
