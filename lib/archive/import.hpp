// SPDX-License-Identifier: Apache-2.0
// An archive into a store.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace dlrun::archive {

struct ImportOptions {
  std::filesystem::path store;
  std::string name = {};  ///< under which the study comes in; empty: its own
};

/// Contents of the archive that was read.
struct Imported {
  std::string study;         ///< name in this store
  std::string came_as;       ///< name in the archive
  bool is_there = false;     ///< the store has had the same study already: nothing was changed
  bool was_running = false;  ///< when it was exported
  std::int64_t trials = 0;
  std::int64_t artifacts = 0;
  std::int64_t bytes = 0;  ///< size of the members
};

/// Reads an archive from a descriptor in one pass and in constant memory. Every member is compared with the manifest,
/// every row with the log's hashes and the tables made from it, before anything is put where others see it: artifacts
/// first, then the study, by one rename. What a killed import leaves lies in the store's staging/ and goes with the
/// next one, or with `dlrun gc`. No name in an archive is ever used as a path.
/// @param what  of the file, for messages
/// @throws Error(store) no archive, cut off, damaged, newer, or the name is taken: the member is named;
///         Error(outside) the disk is too full, or fails.
Imported import_study(const ImportOptions& options, int fd, const std::string& what);

}  // namespace dlrun::archive
