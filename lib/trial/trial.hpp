// SPDX-License-Identifier: Apache-2.0
// A trial is a configuration. A member is (trial, replicate, fold), the unit that is scheduled. A piece is a member's
// work from one decision point to the next. An attempt is one execution; attempts are numbered, and only what the
// study knows to be under way may report: one, or two where one was far behind.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/id.hpp"

namespace dlrun::trial {

using TrialId = Id<struct TrialTag>;

/// States of a trial: three open, four final. The names are stored; do not renumber.
enum class TrialState { waiting, running, paused, completed, pruned, failed, cancelled };

/// States of an attempt. `lost` means nobody knows how it ended: its worker or its driver vanished.
enum class AttemptState { running, completed, failed, lost, cancelled };

/// Why an attempt did not complete. The six after `none` are the keys of `retry:` in a spec. overtaken: another
/// attempt that ran beside it was home first. machine: its machine lacked something that no setting of the trial asks
/// for (room on a disk, descriptors, a permission). crowded: memory ran out beside others, or below what the trial may
/// take; the piece is run again alone. artifact: a file of the store that it was to read is missing or damaged.
/// Stored; do not renumber.
enum class Cause {
  none,
  worker_lost,
  signal,
  exception,
  oom,
  nan,
  timeout,
  cancelled,
  driver_lost,
  preempted,
  overtaken,
  machine,
  crowded,
  artifact
};
inline constexpr int kCauses = static_cast<int>(Cause::artifact) + 1;

/// How a piece ended: as planned, early by itself (patience), or failed.
enum class Outcome { completed, early, failed };

std::string_view to_string(TrialState state);
std::string_view to_string(AttemptState state);
std::string_view to_string(Cause cause);
std::string_view to_string(Outcome outcome);
/// @throws Error(store) for a name that is none.
TrialState trial_state(std::string_view name);
AttemptState attempt_state(std::string_view name);
Cause cause(std::string_view name);
Outcome outcome(std::string_view name);
/// Does it cost no attempt? Nothing that the trial asked for caused it.
bool is_free(Cause cause);
inline bool is_final(TrialState state) { return state >= TrialState::completed; }

struct Member {
  TrialId trial;
  int replicate = 0;
  int fold = 0;
  auto operator<=>(const Member&) const = default;
};

inline constexpr int kMostMembers = 1000;  ///< members of a trial

/// The members of every trial of a study: `replicates` x `folds` of them, in the order (replicate, fold).
struct Members {
  int replicates = 1;
  int folds = 1;
  int count() const { return replicates * folds; }
  Member at(TrialId trial, int index) const { return {trial, index / folds, index % folds}; }
  int index_of(const Member& member) const { return member.replicate * folds + member.fold; }
  bool has(const Member& m) const {
    return m.replicate >= 0 && m.replicate < replicates && m.fold >= 0 && m.fold < folds;
  }
};

/// "trial 3"; of several members "trial 3, replicate 0, fold 2".
std::string describe(const Member& member);

/// A piece of work, by name: number `piece` of its member, counted from 0.
struct PieceKey {
  Member member;
  int piece = 0;
  auto operator<=>(const PieceKey&) const = default;
};

/// One value of one metric; the name is dotted, e.g. "val.accuracy", "train.loss".
struct Metric {
  std::string name;
  double value = 0;
  bool operator==(const Metric&) const = default;
};

/// Measurements at the end of one epoch (or step of a command), counted from 1.
struct Report {
  std::int64_t step = 0;
  std::vector<Metric> metrics;
  bool operator==(const Report&) const = default;
};

/// Role of the record of a gang's epoch (lib/parallel), by which it is replayed.
inline constexpr const char* kRecord = "record";

/// A file in the store's artifacts/, named by its content.
struct Artifact {
  std::string role;    ///< "last" (resumes), "best" (best by the objective), "epoch", "examples", "partition", "record"
  std::string sha256;  ///< 64 hexadecimal digits
  std::int64_t bytes = 0;
  std::int64_t step = 0;  ///< the epoch it holds
  bool operator==(const Artifact&) const = default;
};

/// Where a tensor's first values came from, where a trial begins with the weights of others.
struct TensorStart {
  std::string name;
  std::string
      rule;  ///< copied | averaged | sliced | shrunk | recalibrated | fresh | skipped: the model has no such tensor
  std::string donor;                   ///< SHA-256 of the checkpoint; empty: fresh
  std::string source;                  ///< name in the donor, or why the tensor is fresh
  std::vector<std::int64_t> from, to;  ///< shapes there and here; of a skipped one no shape here
  bool operator==(const TensorStart&) const = default;
};

/// How a trial began with the weights of others.
struct WeightStart {
  std::vector<TensorStart> tensors;  ///< in the model's order, of an average a row for each donor; then the skipped
  std::vector<std::string> notes;    ///< measurements and decisions, for a person
  bool operator==(const WeightStart&) const = default;
};

/// Epochs of a piece that another member had trained: it began where they end.
struct SharedStart {
  Member member;            ///< the one that trained them
  std::int64_t epochs = 0;  ///< done there, counted from the trial's first one
  bool operator==(const SharedStart&) const = default;
};

/// Outcome of a piece, which a worker sends at its end. Everything a decision may depend on is here; reports sent on
/// the way are telemetry. `shared`, `seconds`, `log_tail`, `peak_rss`, `repeated` and `parked_at` are outside of the
/// logical result.
struct PieceResult {
  PieceKey key;
  int attempt = 0;
  Outcome outcome = Outcome::completed;
  Cause cause = Cause::none;
  std::string message;  ///< one line, for a person
  std::vector<Report> reports;
  std::vector<Artifact> artifacts;
  std::optional<WeightStart> start;  ///< a first piece's under `warm_start` or `init`
  std::optional<SharedStart> shared;
  double seconds = 0;
  std::int64_t peak_rss = 0;  ///< bytes, 0 where unknown
  std::string log_tail;       ///< last lines, at most 4 KiB
  std::int64_t repeated = 0;  ///< epochs that a program did again, whose values are known
  std::string parked_at;      ///< socket at which the program waits on this host for the next piece; empty: none does
  bool operator==(const PieceResult&) const = default;
};

}  // namespace dlrun::trial
