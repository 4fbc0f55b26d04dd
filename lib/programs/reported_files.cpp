// SPDX-License-Identifier: Apache-2.0
#include "programs/reported_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "util/error.hpp"
#include "util/processes.hpp"

namespace dlrun::programs {

constexpr const char* kLack = "too few descriptors or too little memory";

std::string path_in(const std::string& folder, const std::string& path) {
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

std::string stamp_of(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return {};
  return fmt::format("{} {} {}.{:09}", facts.st_ino, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
}

namespace {

bool writes(pid_t process, const std::string& file) {
  if (const auto is_open = has_open_for_writing(process, file)) return *is_open;
  throw Error(ErrorKind::outside, fmt::format("cannot see whether '{}' is still being written: {}", file, kLack));
}

}  // namespace

std::optional<Checkpoint> unchanged(std::optional<Checkpoint> file, const std::string& folder,
                                    const std::optional<std::set<pid_t>>& running) {
  if (!file) return std::nullopt;
  file->path = path_in(folder, file->path);
  if (file->stamp != stamp_of(file->path)) return std::nullopt;
  if (!running)
    throw Error(ErrorKind::outside, fmt::format("cannot see which processes may write '{}': {}", file->path, kLack));
  const auto is_writing = [&](pid_t pid) { return writes(pid, file->path); };
  if (std::any_of(running->begin(), running->end(), is_writing)) return std::nullopt;
  return file;
}

}  // namespace dlrun::programs
