// SPDX-License-Identifier: Apache-2.0
#include "storage/artifact_files.hpp"

#include <system_error>

#include "storage/lock.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "util/error.hpp"

namespace dlrun::storage {

namespace {

/// Rows are data: a hash that is none must never become a path.
bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

Hashes kept_by(Database& study) {
  Hashes hashes;
  Statement rows = study.prepare("SELECT DISTINCT sha256 FROM dl_artifact WHERE deleted IS NULL");
  while (rows.step()) hashes.emplace(rows.text(0));
  return hashes;
}

bool remove_kept_elsewhere(const std::filesystem::path& folder, const std::string& except, Hashes& candidates) {
  for (const std::string& name : study_names(folder)) {
    if (name == except) continue;
    if (WriterLock::is_held(study_file(folder, name, ".lock"))) return false;
    try {
      for (const std::string& hash : kept_by(*open_for_reading(study_file(folder, name, ".db"))))
        candidates.erase(hash);
    } catch (const Error&) {
      return false;
    }
  }
  return true;
}

Collected delete_files(const std::filesystem::path& artifacts, const Hashes& hashes) {
  Collected collected;
  std::error_code fault;
  for (const std::string& hash : hashes) {
    if (!is_hash(hash)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(artifacts / hash.substr(0, 2), fault)) {
      if (entry.path().filename().string().substr(0, hash.size()) != hash) continue;
      const std::uintmax_t bytes = std::filesystem::file_size(entry.path(), fault);
      if (!std::filesystem::remove(entry.path(), fault)) continue;
      ++collected.files;
      collected.bytes += std::int64_t(bytes);
    }
  }
  return collected;
}

}  // namespace dlrun::storage
