// SPDX-License-Identifier: Apache-2.0
// Rows of a study's file as plain values.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "study/types.hpp"
#include "trial/runner.hpp"
#include "util/json.hpp"

namespace dlrun::storage {

/// Identity of a study, frozen when it starts.
struct StudyRow {
  std::string name;
  std::string hash;       ///< hash of the normalised spec (conventions.md, Store)
  std::string spec_text;  ///< as written
  Json spec;              ///< normalised, all defaults filled in
  std::uint64_t seed = 0;
  std::int64_t slack = 0;   ///< frozen L in ticks
  std::string created;      ///< UTC, ISO 8601
  std::string origin = {};  ///< first name of a study that was taken in under another; `hash` is of that spec
};

/// Program of a study's trials, as a driver found it when it started.
struct Program {
  std::map<std::string, std::string> files;  ///< path as the command names it -> SHA-256
  std::string revision;                      ///< commit of the git work tree that it lies in; empty: none
  std::string changes;                       ///< SHA-256 of the artifact with the changes since then; empty: none

  bool is_recorded() const { return !files.empty() || !revision.empty(); }
};

/// Executor that a driver has its workers from.
struct Executor {
  std::string name;     ///< local, slurm or a plugin's; empty: it starts no worker
  std::string version;  ///< version of the plugin
  std::string sha256;   ///< hash of the plugin's file
};

/// Versions, host, device, git revision; one row per driver start.
struct Environment {
  std::string version, host, os, device, compiler, libtorch, git_revision, data_sha256, command;
  bool git_dirty = false;
  std::int64_t cores = 0;
  Program program;
  Executor executor;
  int arithmetic = 0;  ///< arithmetic::kVersion of the driver; 0 for drivers that recorded none
};

/// Piece whose result another piece has instead of a run of its own.
struct Citation {
  std::string study;
  trial::PieceKey piece;             ///< there
  std::vector<std::string> missing;  ///< SHA-256 of its artifacts whose files are gone
};

/// The trial that a trial was made from, whoever carries it out.
struct Origin {
  std::string kind;  ///< kind of the edge
  trial::TrialId trial;
  std::optional<std::string> study;  ///< study of that trial; none: this study
};

/// Place and time of an attempt's end.
struct Whereabouts {
  std::string host;
  std::int64_t ended = 0;       ///< milliseconds since 1970, by the clock of the driver's machine
  std::set<std::string> hosts;  ///< machines without success: those that had workers then
};

/// A checkpoint of another study, or a file, that gives a trial its first weights.
struct WeightDonor {
  std::string artifact;     ///< SHA-256
  std::string study;        ///< empty: not known
  std::int64_t trial = -1;  ///< -1: not known
};

/// The piece that made an artifact, as it was run: its first attempt that completed.
struct Maker {
  trial::PieceKey key;
  int attempt = 0;
  std::int64_t from_step = 0, to_step = 0;
  std::string resume;     ///< SHA-256 of the artifact it continued from; empty: from scratch
  std::string role;       ///< role of the artifact: last, best, epoch, output
  std::int64_t step = 0;  ///< epoch that the artifact holds
  std::string numerics;   ///< class that its worker computed in; empty: not known
};

/// Start of an attempt: the piece, the worker, and what the edges of the lineage say of it.
struct AttemptStart {
  trial::PieceKey key;
  int attempt = 0;
  std::int64_t worker = -1;
  std::string resume;                    ///< SHA-256 of the artifact of the piece before, or empty
  std::optional<int> partial;            ///< attempt of the same piece whose epoch checkpoints are resumed
  std::optional<trial::PieceKey> donor;  ///< the piece that left `resume`, where it is another trial's
  int copy_of = 0;                       ///< the attempt of the same piece that it runs beside; 0: none
};

/// One row of the log, in order.
using LogRow = std::variant<study::Event, study::Decision>;

}  // namespace dlrun::storage
