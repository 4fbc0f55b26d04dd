// SPDX-License-Identifier: Apache-2.0
// A data file as bytes: plain or gzipped, seen by its first two bytes, never by its name.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace dlrun::dataset {

struct Content {
  std::string bytes;   ///< unpacked
  std::string sha256;  ///< hash of the file as it lies there
};

/// @param limit most bytes after unpacking: a small file cannot fill the memory.
/// @throws DataError naming the file: not to be read, empty, cut off, damaged, larger than the limit.
Content read_content(const std::filesystem::path& path, std::size_t limit);

/// Text of people, without the mark that some editors put in front of UTF-8. @throws DataError also for UTF-16.
Content read_text_content(const std::filesystem::path& path, std::size_t limit);

/// Reads a table of text as read_content() does, gzipped or not. A line of more than 64 MiB is none: one line of a
/// small gzip file could fill the memory. @throws DataError also with the line.
Content read_table_text(const std::filesystem::path& path, std::size_t limit);

inline constexpr std::size_t kMostTableBytes = std::size_t(4) << 30;  ///< limit of a table

/// @throws DataError naming the path: a folder, a pipe, a device or a socket, which may never end.
void require_file(const std::filesystem::path& path);

inline constexpr std::size_t kLongestLine = std::size_t(64) << 20;  ///< bytes
/// @throws DataError with the line, which is longer.
[[noreturn]] void refuse_long_line(const std::string& file, std::int64_t line);

/// Unpacks bytes in memory as read_content() does a file's.
/// @param name  of the file, for messages.  @throws DataError as read_content.
Content unpack(std::string bytes, const std::string& name, std::size_t limit);

}  // namespace dlrun::dataset
