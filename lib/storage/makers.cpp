// SPDX-License-Identifier: Apache-2.0
// Piece that made an artifact, and the artifact that the piece went on from.
#include "storage/stored_artifacts.hpp"

namespace dlrun::storage {

namespace {

constexpr const char* kMaker =
    "SELECT a.trial, a.replicate, a.fold, a.piece, a.attempt, d.from_step, d.to_step, a.role, a.step, w.numerics "
    "FROM dl_artifact a JOIN dl_attempt t USING (trial, replicate, fold, piece, attempt) "
    "JOIN dl_decision d ON d.kind < 2 AND d.trial = a.trial AND d.replicate = a.replicate AND d.fold = a.fold "
    "AND d.piece = a.piece LEFT JOIN dl_worker w ON w.epoch = t.epoch AND w.worker = t.worker "
    "WHERE a.sha256 = ? AND t.state = 1 ORDER BY a.trial, a.replicate, a.fold, a.piece, a.attempt, a.role <> 'last' "
    "LIMIT 1";

/// The last checkpoint of the member's earlier pieces, as the study itself keeps it.
constexpr const char* kOwnLast =
    "SELECT a.sha256 FROM dl_artifact a JOIN dl_attempt t USING (trial, replicate, fold, piece, attempt) "
    "WHERE a.trial = ? AND a.replicate = ? AND a.fold = ? AND a.piece < ? AND a.role = 'last' AND t.state = 1 "
    "ORDER BY a.piece DESC, a.step DESC LIMIT 1";

constexpr const char* kInherited =
    "SELECT e.artifact FROM dl_edge e JOIN dl_trial h ON h.trial = e.trial AND h.donor IS NOT NULL "
    "WHERE e.trial = ? AND e.replicate = ? AND e.fold = ? AND e.piece = 0 AND e.kind = 'inherited_from' "
    "ORDER BY e.attempt DESC LIMIT 1";

std::string resumed_by(Database& database, const trial::PieceKey& key) {
  const trial::Member& m = key.member;
  Statement own = database.prepare(kOwnLast);
  if (own.bind(m.trial.value, m.replicate, m.fold, key.piece).step()) return std::string(own.text(0));
  Statement inherited = database.prepare(kInherited);
  return inherited.bind(m.trial.value, m.replicate, m.fold).step() ? std::string(inherited.text(0)) : std::string();
}

}  // namespace

std::optional<Maker> StoredArtifacts::maker_of(const std::string& sha256) const {
  Statement row = database_.prepare(kMaker);
  if (!row.bind(sha256).step()) return std::nullopt;
  Maker out;
  out.key = {{trial::TrialId(row.integer(0)), int(row.integer(1)), int(row.integer(2))}, int(row.integer(3))};
  out.attempt = int(row.integer(4));
  out.from_step = row.integer(5);
  out.to_step = row.integer(6);
  out.role = std::string(row.text(7));
  out.step = row.integer(8);
  if (!row.is_null(9)) out.numerics = std::string(row.text(9));
  out.resume = resumed_by(database_, out.key);
  return out;
}

std::string StoredArtifacts::last_of(const trial::Member& member) const {
  Statement row = database_.prepare(
      "SELECT sha256 FROM dl_artifact WHERE trial = ? AND replicate = ? AND fold = ? AND role = 'last' AND deleted IS "
      "NULL ORDER BY piece DESC, step DESC, attempt LIMIT 1");
  return row.bind(member.trial.value, member.replicate, member.fold).step() ? std::string(row.text(0)) : "";
}

std::optional<std::int64_t> StoredArtifacts::step_of(const std::string& sha256, const trial::Member& member) const {
  Statement row = database_.prepare(
      "SELECT step FROM dl_artifact WHERE sha256 = ? AND trial = ? AND replicate = ? AND fold = ? "
      "ORDER BY piece DESC, step DESC LIMIT 1");
  if (!row.bind(sha256, member.trial.value, member.replicate, member.fold).step()) return std::nullopt;
  return row.integer(0);
}

std::optional<std::int64_t> StoredArtifacts::bytes_of(const std::string& sha256) const {
  Statement row = database_.prepare("SELECT bytes FROM dl_artifact WHERE sha256 = ? LIMIT 1");
  return row.bind(sha256).step() ? std::optional(row.integer(0)) : std::nullopt;
}

}  // namespace dlrun::storage
