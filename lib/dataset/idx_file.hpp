// SPDX-License-Identifier: Apache-2.0
// The IDX format of MNIST: big-endian magic 0x00000801 (labels) or 0x00000803 (images) of unsigned bytes, the sizes,
// the bytes.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dlrun::dataset {

struct IdxFile {
  std::vector<std::int64_t> sizes;  ///< [count] or [count, height, width]
  std::string bytes;                ///< the whole file, unpacked
  std::size_t offset = 0;           ///< place at which the values begin
  std::string sha256;

  const unsigned char* values() const { return reinterpret_cast<const unsigned char*>(bytes.data()) + offset; }
};

/// @param dimensions 1 for labels, 3 for images.  @param key of the section, for messages.
/// @throws DataError with the byte: no IDX, other dimensions, sizes that do not match the file's length.
IdxFile read_idx(const std::filesystem::path& path, int dimensions, const std::string& key);

}  // namespace dlrun::dataset
