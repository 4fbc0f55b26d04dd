// SPDX-License-Identifier: Apache-2.0
// Schemas seen before, so that `dlrun check` need not read the data again. One small JSON file each under
// XDG_CACHE_HOME/dlrun/schema (else ~/.cache/dlrun/schema), named by a hash of what it depends on: section, seed, and
// path, size and modification time of every file. A cache that cannot be read or written is no fault.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dataset/formats.hpp"

namespace dlrun::dataset {

class SchemaCache {
 public:
  SchemaCache(const Json& data, const Sources& sources, std::uint64_t seed);

  std::optional<Schema> find() const;
  void keep(const Schema& schema) const;

 private:
  std::filesystem::path file_;  ///< empty: no cache
};

}  // namespace dlrun::dataset
