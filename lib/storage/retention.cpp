// SPDX-License-Identifier: Apache-2.0
#include "storage/retention.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <ctime>
#include <limits>
#include <map>
#include <system_error>

#include "storage/artifact_files.hpp"
#include "storage/best_trials.hpp"
#include "storage/clock.hpp"
#include "storage/lock.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/removal.hpp"
#include "storage/schema.hpp"
#include "storage/staging.hpp"
#include "storage/stored_artifacts.hpp"
#include "trial/trial.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/json.hpp"

namespace dlrun::storage {

namespace {

/// Rows that the policy gives up. Newest first within a member; `last` of an earlier piece is what a rung left, but
/// earlier `examples` are of no use. ?2: JSON of whole_trials(), ?3 to ?6: the policy's last, rungs, all, epochs.
constexpr const char* kGivenUp = R"sql(
deleted IS NULL AND NOT ?5 AND (role IN ('last', 'best', 'examples') OR (role = 'epoch' AND NOT ?6))
AND trial IN (SELECT trial FROM dl_trial WHERE state >= 3)
AND trial NOT IN (SELECT value FROM json_each(?2))
AND NOT (?4 AND role = 'last')
AND NOT (role IN ('last', 'examples') AND (SELECT count(DISTINCT n.step) FROM dl_artifact n WHERE n.trial = dl_artifact.trial
         AND n.replicate = dl_artifact.replicate AND n.fold = dl_artifact.fold AND n.role = dl_artifact.role
         AND n.step > dl_artifact.step) < ?3)
)sql";

/// An heir's beginning stays from its decision on, while the heir is open or failed: it may be tried again.
constexpr const char* kHasNoHeir = R"sql(
AND NOT EXISTS (SELECT 1 FROM dl_trial h WHERE h.donor = dl_artifact.trial AND h.donor_piece = dl_artifact.piece
                AND h.state NOT IN (3, 4, 6))
)sql";

/// Condition of the rows that a policy gives up, with the parameters of kGivenUp.
std::string given_up_rows(Database& database) {
  constexpr int kInheritance = 5;  // schema that brought it; a dry run reads tables of earlier ones
  return schema_of(database) < kInheritance ? kGivenUp : std::string(kGivenUp) + kHasNoHeir;
}

/// Trials that keep all their checkpoints: the best ones that are over, and those that the policy names.
std::string whole_trials(Database& database, const KeepPolicy& keep) {
  Json trials = keep.also;
  for (const trial::TrialId id : candidates(database, std::size_t(keep.candidates))) trials.push_back(id.value);
  int left = keep.best;
  for (const study::Contender& trial : best_trials(database, std::numeric_limits<std::size_t>::max())) {
    if (!trial::is_final(trial.state)) continue;
    if (left-- <= 0) break;
    trials.push_back(trial.id.value);
  }
  return to_text(trials);
}

Hashes given_up(Database& database, std::int64_t when) {
  Hashes hashes;
  Statement rows = database.prepare("SELECT DISTINCT sha256 FROM dl_artifact WHERE deleted = ?");
  rows.bind(when);
  while (rows.step()) hashes.emplace(rows.text(0));
  for (const std::string& kept : kept_by(database)) hashes.erase(kept);
  return hashes;
}

bool is_older(const std::filesystem::path& file, std::int64_t seconds) {
  struct stat facts {};
  return ::stat(file.c_str(), &facts) == 0 && ::time(nullptr) - facts.st_mtime >= seconds;
}

/// Files under artifacts/ that have not been touched lately.
Hashes old_files(const std::filesystem::path& artifacts, std::int64_t grace_seconds) {
  Hashes hashes;
  std::error_code none;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(artifacts, none)) {
    if (!entry.is_regular_file(none) || !is_older(entry.path(), grace_seconds)) continue;
    const std::string name = entry.path().filename().string();
    if (name.size() >= 64 && !is_temporary(entry.path())) hashes.insert(name.substr(0, 64));
  }
  return hashes;
}

/// Files of writers that were killed, in the artifacts, the studies and the store itself.
std::vector<std::filesystem::path> old_temporaries(const std::filesystem::path& folder, std::int64_t grace_seconds) {
  std::vector<std::filesystem::path> folders{folder, folder / "studies"}, found;
  for (const std::filesystem::path& part : entries_of(folder / "artifacts")) folders.push_back(part);
  for (const std::filesystem::path& place : folders) {
    for (const std::filesystem::path& file : entries_of(place)) {
      if (is_temporary(file) && is_older(file, grace_seconds)) found.push_back(file);
    }
  }
  return found;
}

}  // namespace

/// The rows first, durably: a crash in between leaves files that nobody refers to, never rows without their file.
Collected StoredArtifacts::collect(const KeepPolicy& keep) {
  const std::int64_t now = now_ms();
  transaction_.begin();
  const int given = database_.prepare("UPDATE dl_artifact SET deleted = ?1 WHERE " + given_up_rows(database_))
                        .run(now, whole_trials(database_, keep), keep.last, keep.rungs, keep.all, keep.epochs);
  transaction_.commit(Durability::full);
  if (given == 0) return {};
  Hashes hashes = given_up(database_, now);
  const std::optional<WriterLock> lock = try_lock_artifacts(folder_);
  if (!lock) return {.hindrance = Hindrance{"artifacts are being moved into the store or deleted"}};
  if (auto hindrance = remove_kept_elsewhere(folder_, study_, hashes)) return {.hindrance = std::move(hindrance)};
  return delete_files(folder(), hashes);
}

std::filesystem::path StoredArtifacts::attempt_folder(const trial::PieceKey& key, int attempt) const {
  return attempt_path(folder_, study_, key, attempt);
}

void StoredArtifacts::remove_partials(trial::TrialId trial) const {
  std::error_code none;  // a file that cannot be deleted costs disk only, and goes with the study
  const std::filesystem::path attempts = attempt_path(folder_, study_, {{trial}}, 1).parent_path();
  for (const auto& attempt : std::filesystem::directory_iterator(attempts, none)) {
    for (const auto& entry : std::filesystem::directory_iterator(attempt.path(), none)) {
      const bool is_checkpoint = entry.path().filename().string().find(".safetensors") != std::string::npos;
      if (is_checkpoint) std::filesystem::remove(entry.path(), none);
    }
  }
}

namespace {

void add_files(const std::filesystem::path& artifacts, const std::vector<std::filesystem::path>& files,
               const std::string& reason, std::vector<Doomed>& doomed) {
  std::error_code none;
  for (const std::filesystem::path& file : files) {
    doomed.push_back({file.lexically_relative(artifacts).generic_string(),
                      std::int64_t(std::filesystem::file_size(file, none)), reason});
  }
}

/// The rows that a policy gives up, one for each hash: its first trial, role and epoch.
std::map<std::string, std::string> reasons_of(Database& database, const KeepPolicy& keep) {
  std::map<std::string, std::string> reasons;
  Statement rows = database.prepare("SELECT sha256, trial, role, step, ?1 FROM dl_artifact WHERE " +
                                    given_up_rows(database) + " ORDER BY trial, step");
  const std::string whole = whole_trials(database, keep);  // lent to the statement
  rows.bind(std::int64_t(0), whole, keep.last, keep.rungs, keep.all, keep.epochs);
  while (rows.step()) {
    reasons.emplace(rows.text(0), "trial " + std::to_string(rows.integer(1)) + ", " + std::string(rows.text(2)) +
                                      " of epoch " + std::to_string(rows.integer(3)));
  }
  return reasons;
}

/// Artifacts that rows hold on to and the policy does not give up.
Hashes still_kept(Database& database, const KeepPolicy& keep) {
  Hashes kept;
  Statement rows = database.prepare("SELECT DISTINCT sha256, ?1 FROM dl_artifact WHERE deleted IS NULL AND NOT (" +
                                    given_up_rows(database) + ")");
  const std::string whole = whole_trials(database, keep);  // lent to the statement
  rows.bind(std::int64_t(0), whole, keep.last, keep.rungs, keep.all, keep.epochs);
  while (rows.step()) kept.emplace(rows.text(0));
  return kept;
}

}  // namespace

std::vector<std::string> StoredArtifacts::kept(const KeepPolicy& keep) const {
  const Hashes kept = still_kept(database_, keep);
  return {kept.begin(), kept.end()};
}

Forecast find_garbage(const std::filesystem::path& folder, std::int64_t grace_seconds) {
  std::vector<Doomed> doomed;
  Hashes hashes = old_files(folder / "artifacts", grace_seconds);
  if (auto hindrance = remove_kept_elsewhere(folder, "", hashes)) return {.files = {}, .hindrance = hindrance};
  const std::filesystem::path artifacts = folder / "artifacts";
  for (const std::string& hash : hashes)
    add_files(artifacts, files_of(artifacts, hash), "no study refers to it", doomed);
  add_files(artifacts, old_temporaries(folder, grace_seconds), "its writer was killed", doomed);
  return {std::move(doomed)};
}

Forecast find_given_up(const std::filesystem::path& folder, const std::string& study, const KeepPolicy& keep) {
  const std::unique_ptr<Database> database = open_for_reading(study_file(folder, study, ".db"));
  const std::map<std::string, std::string> reasons = reasons_of(*database, keep);
  Hashes hashes;
  for (const auto& [hash, reason] : reasons) hashes.insert(hash);
  for (const std::string& hash : still_kept(*database, keep)) hashes.erase(hash);
  if (auto hindrance = remove_kept_elsewhere(folder, study, hashes)) return {.files = {}, .hindrance = hindrance};
  std::vector<Doomed> doomed;
  const std::filesystem::path artifacts = folder / "artifacts";
  for (const std::string& hash : hashes) add_files(artifacts, files_of(artifacts, hash), reasons.at(hash), doomed);
  return {std::move(doomed)};
}

GivenUp lost_by(const std::filesystem::path& folder, const std::string& study, const KeepPolicy& keep) {
  const std::unique_ptr<Database> database = open_for_reading(study_file(folder, study, ".db"));
  Statement rows = database->prepare(fmt::format(
      "SELECT trial, count(*), ?1 FROM (SELECT trial, sha256 FROM dl_artifact WHERE {0} EXCEPT SELECT trial, "
      "sha256 FROM dl_artifact WHERE deleted IS NULL AND NOT ({0})) GROUP BY trial ORDER BY trial",
      given_up_rows(*database)));
  const std::string whole = whole_trials(*database, keep);  // lent to the statement
  rows.bind(std::int64_t(0), whole, keep.last, keep.rungs, keep.all, keep.epochs);
  GivenUp lost;
  while (rows.step()) {
    lost.trials.push_back(rows.integer(0));
    lost.checkpoints += rows.integer(1);
  }
  return lost;
}

Collected collect_garbage(const std::filesystem::path& folder, std::int64_t grace_seconds) {
  if (!std::filesystem::is_directory(folder)) return {};
  const WriterLock lock = lock_artifacts(folder);
  Staging::sweep(folder);
  Hashes hashes = old_files(folder / "artifacts", grace_seconds);
  if (auto hindrance = remove_kept_elsewhere(folder, "", hashes)) return {.hindrance = std::move(hindrance)};
  const Collected collected = delete_files(folder / "artifacts", hashes);
  const Collected left = delete_files(old_temporaries(folder, grace_seconds));
  return {collected.files + left.files, collected.bytes + left.bytes};
}

std::int64_t collection_grace(const std::filesystem::path& folder) {
  constexpr std::int64_t kHour = 3600;
  for (const std::string& name : study_names(folder)) {
    if (WriterLock::is_held(study_file(folder, name, ".lock"))) return kHour;
  }
  return 0;
}

void remove_study(const std::filesystem::path& folder, const std::string& name) {
  require_valid_name(name);
  const std::filesystem::path file = study_file(folder, name, ".db");
  if (!std::filesystem::exists(file)) {
    throw Error(ErrorKind::not_found, "there is no study '" + name + "' in '" + folder.string() + "'",
                "`dlrun studies` lists them");
  }
  const WriterLock lock(study_file(folder, name, ".lock"), "study '" + name + "'");
  remove_file(file);  // first: what is left behind by a crash is no study any more
  remove_side_files(folder, name);
  for (const char* suffix : {".endpoint", ".key"}) remove_file(study_file(folder, name, suffix));
  remove_folder(study_file(folder, name, ""));
  for (int version = 1; version < 100; ++version) {
    remove_file(study_file(folder, name, (".db.v" + std::to_string(version)).c_str()));
  }
  remove_file(study_file(folder, name, ".lock"));
}

}  // namespace dlrun::storage
