// SPDX-License-Identifier: Apache-2.0
// Folder of a driver's socket: short, private, the same for the same study, so that crashes leave no heap of folders.
#pragma once
#include <filesystem>
#include <string>

namespace dlrun::executor {

/// XDG_RUNTIME_DIR/dlrun-<hash of `identity`>, or TMPDIR (/tmp)/dlrun-<uid>-<hash>; made 0700.
/// @throws Error(usage) if the socket's path would have more than 107 bytes, or another user owns the folder.
std::filesystem::path runtime_folder(const std::string& identity);

/// Path of the socket in the folder.
std::filesystem::path socket_in(const std::filesystem::path& folder);

}  // namespace dlrun::executor
