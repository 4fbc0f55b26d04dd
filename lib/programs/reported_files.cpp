// SPDX-License-Identifier: Apache-2.0
#include "programs/reported_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "util/processes.hpp"

namespace dlrun::programs {

std::string path_in(const std::string& folder, const std::string& path) {
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

std::string stamp_of(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return {};
  return fmt::format("{} {} {}.{:09}", facts.st_ino, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
}

std::optional<Checkpoint> unchanged(std::optional<Checkpoint> file, const std::string& folder,
                                    const std::optional<std::set<pid_t>>& running) {
  if (!file || !running) return std::nullopt;
  file->path = path_in(folder, file->path);
  if (file->stamp != stamp_of(file->path)) return std::nullopt;
  const auto writes = [&](pid_t pid) { return has_open_for_writing(pid, file->path); };
  if (std::any_of(running->begin(), running->end(), writes)) return std::nullopt;
  return file;
}

}  // namespace dlrun::programs
