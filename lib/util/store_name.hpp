// SPDX-License-Identifier: Apache-2.0
// Names that no new study can have, because the files or the folder of a study lie under them.
#pragma once
#include <string_view>

namespace dlrun {

/// Advice beside a name that is_store_file_name().
constexpr const char* kStoreFileNames = "take a name that does not end in .db, .lock, .head, .endpoint or .key";

/// Whether another study's file can have this name: for a study `x` those are x.db, x.db-wal, x.db.v3, x.lock and so
/// on, and the attempts of a study x.db lie in a folder x.db.
inline bool is_store_file_name(std::string_view name) {
  for (const std::string_view end :
       {".db", ".db-wal", ".db-shm", ".db-journal", ".db-snapshot", ".db.new", ".lock", ".head", ".endpoint", ".key"}) {
    if (name.ends_with(end)) return true;
  }
  const std::size_t version = name.rfind(".db.v");
  return version != std::string_view::npos && name.size() > version + 5 &&
         name.find_first_not_of("0123456789", version + 5) == std::string_view::npos;
}

}  // namespace dlrun
