// SPDX-License-Identifier: Apache-2.0
// The members of a tar archive in memory (POSIX.1-1988 ustar, and GNU tar's additions).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace dlrun::dataset {

struct TarMember {
  std::string name;        ///< as written: "cifar-10-batches-bin/test_batch.bin"
  std::string_view bytes;  ///< within the archive
};

/// Files of an archive, in order; folders, links and extended headers are passed over, nothing is written anywhere.
/// @param file  name, for messages
/// @throws DataError with the byte: no tar, a wrong checksum or size, an archive that ends within a member.
std::vector<TarMember> read_tar(std::string_view archive, const std::string& file);

}  // namespace dlrun::dataset
