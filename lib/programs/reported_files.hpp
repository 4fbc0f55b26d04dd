// SPDX-License-Identifier: Apache-2.0
// Files that a program reports while it runs on, and may be writing again.
#pragma once
#include <sys/types.h>

#include <optional>
#include <set>
#include <string>

#include "programs/reports.hpp"

namespace dlrun::programs {

/// Path of a file that a program names. @param folder  to which relative paths belong
std::string path_in(const std::string& folder, const std::string& path);

/// Another text for a file that was written since; the same for one that is not there.
std::string stamp_of(const std::string& path);

/// The file by its whole path, if it still is as it was when it was reported and none of these processes has it open to
/// write it. @param running  nullopt: not known
/// @throws Error(outside) where that cannot be seen, for want of descriptors or memory
std::optional<Checkpoint> unchanged(std::optional<Checkpoint> file, const std::string& folder,
                                    const std::optional<std::set<pid_t>>& running);

}  // namespace dlrun::programs
