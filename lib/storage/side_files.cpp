// SPDX-License-Identifier: Apache-2.0
#include "storage/side_files.hpp"

#include <system_error>

#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::storage {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kHeadEvery{5};       ///< time by which `<name>.head` may be behind while a driver runs
constexpr std::chrono::seconds kSnapshotEvery{30};  ///< time by which readers on a network file system may be behind

bool is_due(Clock::time_point& last, std::chrono::seconds every) {
  const auto now = Clock::now();
  if (now - last < every) return false;
  last = now;
  return true;
}

}  // namespace

SideFiles::SideFiles(std::filesystem::path folder, std::string study)
    : folder_(std::move(folder)), study_(std::move(study)), is_on_network_(is_on_network(folder_)) {}

std::filesystem::path SideFiles::head_file() const { return study_file(folder_, study_, ".head"); }

std::string SideFiles::compare(LogTable& log, const std::filesystem::path& database) const {
  const std::optional<Head> seen = read_head(head_file());
  if (!seen) return {};
  const std::optional<bool> fits = log.holds(*seen);
  if (!fits) {
    return "the log of study '" + study_ + "' ends at row " + std::to_string(log.head().seq) + ", but row " +
           std::to_string(seen->seq) + " had been written: its last rows are lost";
  }
  if (*fits) return {};
  throw Error(
      ErrorKind::store,
      "row " + std::to_string(seen->seq) + " of the log of study '" + study_ + "' is not the one that was written",
      "the file was damaged or edited; restore it from a backup", database.string());
}

void SideFiles::follow(Database& database, const LogTable& log, const WriterLock& lock, Durability durability) {
  const bool is_head_due = durability == Durability::full && is_due(head_written_, kHeadEvery);
  if (is_head_due && lock.is_ours()) write_head(head_file(), log.head(), false);
  if (is_on_network_ && is_due(snapshot_written_, kSnapshotEvery)) write_snapshot(database);
}

/// Renamed when it is whole: a file that is locked for one program cannot be read by others.
void SideFiles::write_snapshot(Database& database) const {
  const std::filesystem::path draft = study_file(folder_, study_, ".db-snapshot.new");
  write_file(draft, "");  // private; VACUUM INTO takes an empty file
  database.prepare("VACUUM INTO ?").run(draft.string());
  std::filesystem::rename(draft, snapshot_file(database.path()));
}

void SideFiles::finish(const std::filesystem::path& database, const Head& head) const {
  std::error_code none;
  std::filesystem::remove(snapshot_file(database), none);
  write_head(head_file(), head, true);
}

}  // namespace dlrun::storage
