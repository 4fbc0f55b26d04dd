// SPDX-License-Identifier: Apache-2.0
#include "storage/stored_results.hpp"

#include <set>

#include "storage/artifact_files.hpp"
#include "storage/codec.hpp"
#include "storage/paths.hpp"
#include "storage/reading.hpp"
#include "storage/schema.hpp"

namespace dlrun::storage {

namespace {

constexpr int kSpecVersionsSchema = 6;  ///< 0006_spec_versions

using Results = std::map<trial::PieceKey, StoredResult>;

trial::PieceKey key_of(const Statement& row) {
  return {{trial::TrialId(row.integer(0)), int(row.integer(1)), int(row.integer(2))}, int(row.integer(3))};
}

/// The first that ended well counts.
void read_log(Database& database, Results& results) {
  Statement rows = database.prepare("SELECT body FROM dl_log WHERE kind = ? ORDER BY seq");
  rows.bind(int(LogKind::piece_ended));
  while (rows.step()) {
    const LogRow row = decode(LogKind::piece_ended, rows.text(0));
    const trial::PieceResult& result = std::get<study::PieceEnded>(std::get<study::Event>(row)).result;
    if (result.outcome != trial::Outcome::failed) results.try_emplace(result.key, StoredResult{result, 0, 0, ""});
  }
}

void read_steps(Database& database, Results& results) {
  Statement rows =
      database.prepare("SELECT trial, replicate, fold, piece, from_step, to_step FROM dl_decision WHERE kind < 2");
  while (rows.step()) {
    const auto found = results.find(key_of(rows));
    if (found == results.end()) continue;
    found->second.from_step = rows.integer(4);
    found->second.to_step = rows.integer(5);
  }
}

void read_numerics(Database& database, Results& results) {
  Statement rows = database.prepare(
      "SELECT a.trial, a.replicate, a.fold, a.piece, a.attempt, w.numerics FROM dl_attempt a JOIN dl_worker w "
      "ON w.epoch = a.epoch AND w.worker = a.worker WHERE w.numerics IS NOT NULL");
  while (rows.step()) {
    const auto found = results.find(key_of(rows));
    const bool is_it = found != results.end() && found->second.result.attempt == rows.integer(4);
    if (is_it) found->second.numerics = rows.text(5);
  }
}

void leave_out_doubtful(Database& database, Results& results) {
  std::set<std::int64_t> doubtful;
  Statement rows =
      database.prepare("SELECT trial FROM dl_divergence UNION SELECT trial FROM dl_trial WHERE donor IS NOT NULL");
  while (rows.step()) doubtful.insert(rows.integer(0));
  std::erase_if(results, [&](const auto& item) { return doubtful.contains(item.first.member.trial.value); });
}

}  // namespace

Results read_results(const std::filesystem::path& folder, const std::string& name) {
  const auto database = open_for_reading(study_file(folder, name, ".db"));
  database->run("BEGIN");
  Results results;
  if (schema_of(*database) < kSpecVersionsSchema) return results;
  read_log(*database, results);
  read_steps(*database, results);
  read_numerics(*database, results);
  leave_out_doubtful(*database, results);
  return results;
}

bool has_artifact(const std::filesystem::path& artifacts, const std::string& sha256) {
  return !files_of(artifacts, sha256).empty();
}

}  // namespace dlrun::storage
