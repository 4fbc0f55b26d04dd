// SPDX-License-Identifier: Apache-2.0
// The bytes of a file from beginning to end, unpacked where it is gzipped: for files that are too large for bytes.hpp.
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>

namespace dlrun::dataset {

class ByteSource {
 public:
  /// @throws DataError naming the file: not to be read, a folder.
  explicit ByteSource(const std::filesystem::path& file);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Fills `count` bytes, fewer only at the end. @throws DataError with the byte: gzip data that is damaged or cut off.
  std::size_t read(char* to, std::size_t count);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace dlrun::dataset
