// SPDX-License-Identifier: Apache-2.0
#include "storage/recorded_trial.hpp"

#include <fmt/format.h>

#include <optional>

#include "storage/metric_tables.hpp"
#include "storage/paths.hpp"
#include "storage/program_rows.hpp"
#include "storage/reading.hpp"
#include "storage/schema.hpp"
#include "util/error.hpp"

namespace dlrun::storage {

namespace {

constexpr int kRuntimeSchema = 2, kInheritanceSchema = 5, kVersionsSchema = 6, kCitationsSchema = 7;

std::string text(const Statement& row, int column) {
  return row.is_null(column) ? std::string() : std::string(row.text(column));
}

class Reading {
 public:
  Reading(Database& database, trial::TrialId trial)
      : database_(database), trial_(trial.value), schema_(schema_of(database)) {}

  void read_trial(RecordedTrial& out) {
    Statement row = ask(schema_ >= kInheritanceSchema ? "SELECT state, donor IS NOT NULL FROM dl_trial WHERE trial = ?"
                                                      : "SELECT state, 0 FROM dl_trial WHERE trial = ?");
    if (!row.step()) throw Error(ErrorKind::not_found, fmt::format("there is no trial {}", trial_));
    out.state = static_cast<trial::TrialState>(row.integer(0));
    out.is_heir = row.integer(1) != 0;
    if (schema_ < kVersionsSchema) return;
    Statement version = ask(
        "SELECT coalesce(max(version), 0) FROM v_versions WHERE decision < (SELECT number FROM dl_decision WHERE trial "
        "= ? AND kind = 0)");
    version.step();
    out.version = std::size_t(version.integer(0));
  }

  void read_values(const space::Space& space, RecordedTrial& out) {
    out.values.resize(space.size());
    Statement rows = ask("SELECT parameter, value FROM dl_param WHERE trial = ?");
    while (rows.step()) {
      const auto index = static_cast<std::size_t>(rows.integer(0));
      const space::Type type = space.parameters().at(index).type;
      if (type == space::Type::real) {
        out.values.at(index) = rows.real(1);
      } else if (type == space::Type::integer) {
        out.values.at(index) = rows.integer(1);
      } else {
        out.values.at(index) = space::Choice{static_cast<std::uint32_t>(rows.integer(1))};
      }
    }
  }

  void read_pieces(RecordedTrial& out) {
    Statement rows =
        ask("SELECT replicate, fold, piece, from_step, to_step FROM dl_decision WHERE trial = ? AND kind < 2 ORDER BY "
            "replicate, fold, piece");
    while (rows.step()) {
      RecordedPiece piece;
      piece.key = {{trial::TrialId(trial_), int(rows.integer(0)), int(rows.integer(1))}, int(rows.integer(2))};
      piece.from_step = rows.integer(3);
      piece.to_step = rows.integer(4);
      read_attempt(piece);
      if (piece.attempt > 0) read_origin(piece);
      if (piece.attempt > 0) read_artifacts(piece);
      out.pieces.push_back(std::move(piece));
    }
  }

  void read_metrics(RecordedTrial& out) {
    Statement rows =
        ask("SELECT m.replicate, m.fold, m.step, n.name, m.value, m.kind FROM dl_metric m JOIN dl_metric_name n USING "
            "(metric) WHERE m.trial = ? AND m.committed = 1 ORDER BY 1, 2, 3, 4");
    while (rows.step()) {
      RecordedValue value{{trial::TrialId(trial_), int(rows.integer(0)), int(rows.integer(1))},
                          rows.integer(2),
                          std::string(rows.text(3)),
                          stored_value(rows, 4)};
      out.metrics.push_back(std::move(value));
    }
  }

 private:
  Statement ask(const std::string& sql) {
    Statement row = database_.prepare(sql);
    row.bind(trial_);
    return row;
  }
  Statement ask(const std::string& sql, const trial::PieceKey& key, int attempt) {
    Statement row = database_.prepare(sql);
    row.bind(trial_, key.member.replicate, key.member.fold, key.piece, attempt);
    return row;
  }

  /// The first that was completed, else the last that failed by itself.
  void read_attempt(RecordedPiece& piece) {
    Statement rows =
        ask("SELECT attempt, state, cause, epoch, worker FROM dl_attempt WHERE trial = ? AND replicate = ? AND fold = "
            "? AND "
            "piece = ? AND attempt > ? AND state IN (1, 2) ORDER BY attempt",
            piece.key, 0);
    while (rows.step()) {
      piece.attempt = int(rows.integer(0));
      piece.state = static_cast<trial::AttemptState>(rows.integer(1));
      piece.cause = static_cast<trial::Cause>(rows.integer(2));
      read_environment(piece, rows.integer(3));
      if (!rows.is_null(4)) read_runtime(piece, rows.integer(3), rows.integer(4));
      if (piece.state == trial::AttemptState::completed) return;
    }
  }

  void read_environment(RecordedPiece& piece, std::int64_t epoch) {
    Statement row = database_.prepare(
        "SELECT version, host, os, device, git_revision, git_dirty, data_sha256, cores FROM dl_environment WHERE epoch "
        "= ?");
    if (!row.bind(epoch).step()) return;
    Environment& e = piece.environment;
    e.version = text(row, 0);
    e.host = text(row, 1);
    e.os = text(row, 2);
    e.device = text(row, 3);
    e.git_revision = text(row, 4);
    e.git_dirty = row.integer(5) != 0;
    e.data_sha256 = text(row, 6);
    e.cores = row.integer(7);
    e.program = read_program(database_, epoch);
  }

  void read_runtime(RecordedPiece& piece, std::int64_t epoch, std::int64_t worker) {
    if (schema_ < kRuntimeSchema) return;
    Statement row = database_.prepare(
        "SELECT libtorch, device, threads, cores, numerics FROM dl_worker WHERE epoch = ? AND worker = ?");
    if (!row.bind(epoch, worker).step()) return;
    piece.runtime = {text(row, 0), text(row, 1), int(row.integer(2)), text(row, 3), text(row, 4), ""};
  }

  void read_origin(RecordedPiece& piece) {
    Statement inherited = ask(
        "SELECT artifact FROM dl_edge WHERE trial = ? AND replicate = ? AND fold = ? AND piece = ? AND attempt = ? AND "
        "kind = 'inherited_from'",
        piece.key, piece.attempt);
    if (inherited.step()) piece.inherited = text(inherited, 0);
    if (schema_ < kCitationsSchema) return;
    Statement cited =
        ask("SELECT from_study || '/' || from_trial FROM dl_edge WHERE trial = ? AND replicate = ? AND fold = ? AND "
            "piece = "
            "? AND attempt = ? AND kind = 'cited_from'",
            piece.key, piece.attempt);
    if (cited.step()) piece.cited = text(cited, 0);
  }

  void read_artifacts(RecordedPiece& piece) {
    Statement rows =
        ask("SELECT role, sha256, bytes, step FROM dl_artifact WHERE trial = ? AND replicate = ? AND fold = ? AND "
            "piece = ? "
            "AND attempt = ? ORDER BY step, role",
            piece.key, piece.attempt);
    while (rows.step()) piece.artifacts.push_back({text(rows, 0), text(rows, 1), rows.integer(2), rows.integer(3)});
  }

  Database& database_;
  std::int64_t trial_;
  int schema_;
};

}  // namespace

RecordedTrial read_recorded(const std::filesystem::path& folder, const std::string& name, trial::TrialId trial,
                            const space::Space& space) {
  const auto database = open_for_reading(study_file(folder, name, ".db"));
  database->run("BEGIN");
  Reading reading(*database, trial);
  RecordedTrial out;
  reading.read_trial(out);
  reading.read_values(space, out);
  reading.read_pieces(out);
  reading.read_metrics(out);
  return out;
}

}  // namespace dlrun::storage
