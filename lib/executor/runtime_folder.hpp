// SPDX-License-Identifier: Apache-2.0
// The folder of a driver's socket: short, private, the same for the same study, so that nothing piles up after crashes.
#pragma once
#include <filesystem>
#include <string>

namespace dlrun::executor {

/// XDG_RUNTIME_DIR/dlrun-<hash of `identity`>, or TMPDIR (/tmp)/dlrun-<uid>-<hash>; made 0700.
/// @throws Error(usage) if the socket in it would have more than 107 bytes, or if somebody else owns the folder.
std::filesystem::path runtime_folder(const std::string& identity);

/// Deletes that folder where nothing is in it.
void remove_runtime_folder(const std::string& identity);

/// Path of the socket in such a folder.
std::filesystem::path socket_in(const std::filesystem::path& folder);

}  // namespace dlrun::executor
