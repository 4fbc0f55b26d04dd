// SPDX-License-Identifier: Apache-2.0
// A study with its artifacts into one file.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dlrun::archive {

/// Trials whose artifacts are exported. best: the best trial (of several objectives by the first). Artifacts left out
/// are, in the archive, as if `keep:` had given them up.
enum class Along { all, best, none };

struct ExportOptions {
  std::filesystem::path store;
  std::string study;
  Along artifacts = Along::all;
  bool zstd = false;  ///< compressed; weights shrink by a few per cent at a fraction of the speed
};

/// Contents of the file that was written.
struct Exported {
  std::int64_t trials = 0;
  std::int64_t artifacts = 0;
  std::int64_t bytes = 0;     ///< size of the file
  std::int64_t given_up = 0;  ///< artifacts that retention took away while the export began
  bool is_running = false;    ///< a driver was at work: its results so far are in the file
};

/// Writes the archive to a descriptor, in one pass and in constant memory: a snapshot of the rows, then every artifact
/// that they need, held by hard links from the beginning so that no retention takes it away. The same rows give the
/// same bytes whenever they are exported.
/// @param what  of the file, for messages
/// @throws Error(not_found) no such study; Error(store) an artifact is missing or damaged, named; Error(outside).
Exported export_study(const ExportOptions& options, int fd, const std::string& what);

}  // namespace dlrun::archive
