// SPDX-License-Identifier: Apache-2.0
// Owners of a store's artifacts: the trials that made them, whichever study they are of.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "storage/artifact_files.hpp"

namespace dlrun::storage {

struct Owner {
  std::string study;
  std::int64_t trial = 0;
  std::string role;       ///< last, best, epoch, output
  std::int64_t step = 0;  ///< epoch it holds
};

/// The first study by name whose trial made it; nullopt: none that can be read.
std::optional<Owner> owner_of(const std::filesystem::path& folder, const std::string& sha256);

/// Hashes that any study of the store holds on to. A study that cannot be read adds none.
Hashes kept_by_all(const std::filesystem::path& folder);

}  // namespace dlrun::storage
