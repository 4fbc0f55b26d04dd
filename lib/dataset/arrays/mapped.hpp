// SPDX-License-Identifier: Apache-2.0
// A file in the address space, so that several workers share its pages and no copy is made.
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace dlrun::dataset {

struct Mapped {
  std::shared_ptr<const std::byte> bytes;  ///< unmapped with the last owner
  std::size_t size = 0;
  std::string sha256;

  /// Removes its pages from memory until they are read again.
  void forget() const;
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.get()), size}; }
};

/// Maps and hashes a file. It must not be shortened while it is mapped, as with any map.
/// @param key  place in the section, for messages.  @param hashes  false: sha256 stays empty, nothing is read yet
/// @throws DataError: not to be read, a folder, empty.
Mapped map_file(const std::filesystem::path& path, const std::string& key, bool hashes = true);

}  // namespace dlrun::dataset
