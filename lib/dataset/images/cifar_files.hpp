// SPDX-License-Identifier: Apache-2.0
// Files of CIFAR: in a folder, each gzipped or not, or in the archive as it was fetched.
#pragma once
#include <memory>
#include <string>

#include "dataset/bytes.hpp"
#include "dataset/formats.hpp"

namespace dlrun::dataset {

/// One of the two data sets: its files and its records.
struct CifarVariant {
  std::vector<std::string> train;
  std::string test;
  std::int64_t label_bytes;
  std::int64_t label_at;  ///< label byte that counts
  std::int64_t classes;
  std::string names;  ///< the file with the names of the classes, which need not be there
};

class CifarFiles {
 public:
  virtual ~CifarFiles() = default;
  virtual bool has(const std::string& name) const = 0;
  /// Name of a file in messages.
  virtual std::string place_of(const std::string& name) const = 0;
  /// Content unpacked, with the hash of the stored bytes: the same in a folder and in an archive.
  /// @throws DataError: not there, damaged.
  virtual Content read(const std::string& name) const = 0;
};

/// The source of a section: a folder with its files as parts, or an archive.
/// @throws DataError: neither, a file that is missing.
Source find_cifar_files(const Json& data, const Locations& where);

/// @param source as find_cifar_files gave it.  @throws DataError: an archive that is damaged or holds no CIFAR.
std::unique_ptr<CifarFiles> open_cifar_files(const Source& source);

/// @param labels  fine or coarse, of CIFAR-100.  @param place  folder or archive, for messages.
const CifarVariant& variant_of(const CifarFiles& files, const Json& labels, const std::string& place);

}  // namespace dlrun::dataset
