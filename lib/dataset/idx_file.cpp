// SPDX-License-Identifier: Apache-2.0
#include "dataset/idx_file.hpp"

#include <fmt/format.h>

#include "dataset/bytes.hpp"
#include "dataset/dataset.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::size_t kMostIdxFileBytes = std::size_t(8) << 30;
constexpr std::uint32_t kUnsignedBytes = 0x0800;

/// The header of one file, read with its place for messages.
struct IdxHeader {
  const std::filesystem::path& path;
  const std::string& key;
  const std::string& bytes;

  [[noreturn]] void fail(std::size_t at, const std::string& what, const std::string& hint = {}) const {
    throw DataError(key, fmt::format("'{}' {}", path.string(), what), hint,
                    fmt::format("{}, byte {}", path.string(), at));
  }

  std::uint32_t word(std::size_t at) const {
    if (bytes.size() < at + 4)
      fail(bytes.size(), fmt::format("ends after {} bytes, inside its header", bytes.size()), "fetch it again");
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  }

  void check_magic(int dimensions) const {
    const std::uint32_t magic = word(0);
    const std::uint32_t wanted = kUnsignedBytes | static_cast<std::uint32_t>(dimensions);
    if (magic == wanted) return;
    const bool is_other = magic == (kUnsignedBytes | 1) || magic == (kUnsignedBytes | 3);
    fail(0, fmt::format("begins with 0x{:08x}, not with 0x{:08x}", magic, wanted),
         is_other ? fmt::format("these are {}: are the files swapped?", dimensions == 3 ? "labels" : "images")
                  : fmt::format("an IDX file of {} was expected", dimensions == 3 ? "images" : "labels"));
  }
};

}  // namespace

IdxFile read_idx(const std::filesystem::path& path, int dimensions, const std::string& key) {
  Content content = read_content(path, kMostIdxFileBytes);
  const IdxHeader header{path, key, content.bytes};
  header.check_magic(dimensions);
  IdxFile file{{}, {}, 4 + 4 * static_cast<std::size_t>(dimensions), content.sha256};
  std::int64_t total = 1;
  for (int i = 0; i < dimensions; ++i) {
    file.sizes.push_back(header.word(4 + 4 * static_cast<std::size_t>(i)));
    if (file.sizes.back() == 0) header.fail(4 + 4 * static_cast<std::size_t>(i), "has a size of 0");
    if (__builtin_mul_overflow(total, file.sizes.back(), &total))
      header.fail(4, "has impossible sizes", "fetch it again");
  }
  const std::size_t there = content.bytes.size() - file.offset;
  if (static_cast<std::uint64_t>(total) != there) {
    header.fail(content.bytes.size(), fmt::format("promises {} values, but has {}", total, there),
                static_cast<std::uint64_t>(total) > there ? "it is cut off: fetch it again"
                                                          : "it is longer than its header says");
  }
  file.bytes = std::move(content.bytes);
  return file;
}

}  // namespace dlrun::dataset
