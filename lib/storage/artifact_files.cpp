// SPDX-License-Identifier: Apache-2.0
#include "storage/artifact_files.hpp"

#include <algorithm>
#include <system_error>

#include "storage/paths.hpp"
#include "storage/program_rows.hpp"
#include "storage/reading.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::storage {

namespace {

/// Weights with which trials begin, in the trial's section or as a parameter sets them: donors of a warm start, and
/// files of `init: {from: FILE, sha256: HASH}`, which may be artifacts of the store.
constexpr const char* kBeginnings = R"sql(
SELECT DISTINCT sha256 FROM (
  SELECT max(iif(t.key = 'sha256', t.value, NULL)) AS sha256, max(t.key = 'from' OR t.path LIKE '%.donors[%') AS is_one
  FROM dl_study s, json_tree(s.spec) t WHERE (s.spec LIKE '%"donors"%' OR s.spec LIKE '%"init"%')
  AND t.key IN ('sha256', 'from') GROUP BY t.parent) WHERE is_one AND sha256 IS NOT NULL
)sql";

bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

Hashes kept_by(Database& study) {
  Hashes hashes;
  Statement rows = study.prepare("SELECT DISTINCT sha256 FROM dl_artifact WHERE deleted IS NULL");
  while (rows.step()) hashes.emplace(rows.text(0));
  Statement beginnings = study.prepare(kBeginnings);  // whether a trial has begun with them or not
  while (beginnings.step()) hashes.emplace(beginnings.text(0));
  hashes.merge(program_changes(study));
  return hashes;
}

namespace {

std::filesystem::path artifacts_lock(const std::filesystem::path& folder) { return folder / "gc.lock"; }

/// Removes from `candidates` those that this study refers to.
std::optional<Hindrance> remove_kept_by(const std::filesystem::path& folder, const std::string& name,
                                        Hashes& candidates) {
  const std::filesystem::path lock = study_file(folder, name, ".lock");
  if (WriterLock::is_held(lock))
    return Hindrance{"study '" + name + "' is being written by " + WriterLock::holder(lock)};
  try {
    const auto study = open_for_reading(study_file(folder, name, ".db"));
    if (study->mode() == Database::Mode::immutable && has_rows_in_wal(study->path()))
      return Hindrance{"the newest rows of study '" + name + "' cannot be read", ErrorKind::outside};
    for (const std::string& hash : kept_by(*study)) candidates.erase(hash);
  } catch (const Error& fault) {
    return Hindrance{"study '" + name + "' cannot be read: " + fault.what(), fault.kind()};
  }
  return std::nullopt;
}

}  // namespace

WriterLock lock_artifacts(const std::filesystem::path& folder) {
  constexpr std::chrono::minutes kMost{1};
  if (auto lock = WriterLock::wait_for(artifacts_lock(folder), kMost)) return std::move(*lock);
  throw Error(ErrorKind::store,
              "artifacts of the store are being moved or deleted by " + WriterLock::holder(artifacts_lock(folder)),
              "wait until it ends, then run this command again", artifacts_lock(folder).string());
}

std::optional<WriterLock> try_lock_artifacts(const std::filesystem::path& folder) {
  return WriterLock::wait_for(artifacts_lock(folder), {});
}

std::optional<Hindrance> remove_kept_elsewhere(const std::filesystem::path& folder, const std::string& except,
                                               Hashes& candidates) {
  for (const std::string& name : study_names(folder)) {
    if (name == except) continue;
    if (auto hindrance = remove_kept_by(folder, name, candidates)) return hindrance;
  }
  return std::nullopt;
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& artifacts, const std::string& hash) {
  if (!is_hash(hash)) return {};
  std::vector<std::filesystem::path> files = entries_of(artifacts / hash.substr(0, 2));
  std::erase_if(files, [&](const std::filesystem::path& file) {
    return !file.filename().string().starts_with(hash) || is_temporary(file);
  });
  return files;
}

Collected delete_files(const std::vector<std::filesystem::path>& files) {
  Collected collected;
  std::error_code fault;
  for (const std::filesystem::path& file : files) {
    const std::uintmax_t bytes = std::filesystem::file_size(file, fault);
    if (!std::filesystem::remove(file, fault)) continue;
    ++collected.files;
    collected.bytes += std::int64_t(bytes);
  }
  return collected;
}

Collected delete_files(const std::filesystem::path& artifacts, const Hashes& hashes) {
  std::vector<std::filesystem::path> files;
  for (const std::string& hash : hashes) {
    for (std::filesystem::path& file : files_of(artifacts, hash)) files.push_back(std::move(file));
  }
  return delete_files(files);
}

}  // namespace dlrun::storage
