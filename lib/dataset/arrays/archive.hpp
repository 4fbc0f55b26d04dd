// SPDX-License-Identifier: Apache-2.0
// Files that hold several named arrays: .npz (numpy) and safetensors.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "dataset/arrays/mapped.hpp"
#include "dataset/arrays/tensor.hpp"

namespace dlrun::dataset {

/// Name -> its tensor, read when it is asked for.
struct Archive {
  std::map<std::string, std::function<RawTensor(const std::string& key)>> tensors;
  std::string file;
  std::string sha256;
  Mapped mapped{};  ///< bytes in which the tensors lie

  /// @throws DataError at `key`: no such tensor, with the nearest name.
  RawTensor get(const std::string& name, const std::string& key) const;
};

/// A zip file of .npy files, stored or deflated. @throws DataError: damaged, encrypted, packed otherwise, too large.
Archive open_npz(const std::filesystem::path& path);

/// Eight bytes of length, a header in JSON, the tensors end to end. @throws DataError with the byte or the tensor: a
/// length beyond the file, no JSON, a tensor outside, over another, or of another size than its shape.
/// @param hashes  as map_file
Archive open_safetensors(const std::filesystem::path& path, bool hashes = true);

/// The same of bytes that are mapped already. @param file  for messages
Archive safetensors_in(const Mapped& mapped, const std::string& file);

}  // namespace dlrun::dataset
