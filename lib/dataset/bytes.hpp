// SPDX-License-Identifier: Apache-2.0
// A data file as bytes: plain or gzipped, seen by its first two bytes, never by its name.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

namespace dlrun::dataset {

struct Content {
  std::string bytes;   ///< unpacked
  std::string sha256;  ///< of the file as it lies there
};

/// @param limit most bytes after unpacking: a small file cannot fill the memory.
/// @throws DataError naming the file: not to be read, empty, cut off, damaged, larger than the limit.
Content read_content(const std::filesystem::path& path, std::size_t limit);

/// The same of bytes that are in memory already.
/// @param name  of the file, for messages.  @throws DataError as read_content.
Content unpack(std::string bytes, const std::string& name, std::size_t limit);

}  // namespace dlrun::dataset
