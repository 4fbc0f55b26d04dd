// SPDX-License-Identifier: Apache-2.0
// Results of a study's pieces, as its log has them, for studies that cite them.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "storage/rows.hpp"

namespace dlrun::storage {

struct StoredResult {
  trial::PieceResult result;
  std::int64_t from_step = 0, to_step = 0;
  std::string numerics;  ///< class of its worker; empty: not known, or nothing is computed by libtorch
};

/// The committed result of every piece that ended well, at one moment, also while the study is written. Without members
/// whose attempts measured different things, and heirs of other trials. Empty for a study of an earlier schema, whose
/// log says less.
/// @throws Error(not_found) where there is no such study; Error(store), Error(outside) as open_for_reading.
std::map<trial::PieceKey, StoredResult> read_results(const std::filesystem::path& folder, const std::string& name);

/// Is the file of an artifact there?
bool has_artifact(const std::filesystem::path& artifacts, const std::string& sha256);

}  // namespace dlrun::storage
