// SPDX-License-Identifier: Apache-2.0
// Control groups of the kernel, which limit a process together with others.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace dlrun {

struct Cgroup {
  std::filesystem::path folder;  ///< folder with the group's files
  int version = 2;               ///< version of the files' names and rules

  std::filesystem::path file(const std::string& version1, const std::string& version2) const {
    return folder / (version == 1 ? version1 : version2);
  }
};

/// The group of this process by a controller ("memory", "cpu"): of version 1 where the kernel has the controller there.
/// nullopt: there is none that can be seen.
std::optional<Cgroup> own_cgroup(const std::string& controller);

/// First word of a file; empty where there is none.
std::string first_word(const std::filesystem::path& file);

/// Number of times that the kernel's OOM killer struck in a memory group: SIGKILL alone does not say who sent it. 0: it
/// cannot be read. Version 2 counts what happened in groups below, too.
std::int64_t oom_kills(const Cgroup& group);
/// Number of such times in our own group.
std::int64_t oom_kills();

}  // namespace dlrun
