// SPDX-License-Identifier: Apache-2.0
// Files that survive a power cut, and reading with a message that names the file. Writes go through ::write, so that
// faults can be injected below us.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace dlrun {

/// Whole content. @throws Error(usage) "cannot read 'x': No such file or directory"; Error(usage) past `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t(1) << 32);

/// How a file reaches its final name.
struct WriteOptions {
  bool durable = true;   ///< fsync the file and its folder: what returned survives a power cut
  unsigned mode = 0600;  ///< permission bits
};

/// Replaces `path` as a whole: temporary name, write, fsync, rename, fsync of the folder. Nobody sees half a file.
/// @throws Error(outside) naming path and cause, the temporary file removed.
void write_file(const std::filesystem::path& path, std::string_view bytes, const WriteOptions& options = {});

/// mkdir -p with mode 0700 for what is made. @throws Error(outside).
void make_folders(const std::filesystem::path& path);

}  // namespace dlrun
