// SPDX-License-Identifier: Apache-2.0
// One study is one SQLite file (WAL) that only its driver writes. Events and decisions are rows of one chained log;
// what people ask about stands in tables beside it, written in the same transaction.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "storage/retention.hpp"
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

/// Versions, host, device, git revision; one row per driver start.
struct Environment {
  std::string version, host, os, device, compiler, libtorch, git_revision, data_sha256, command;
  bool git_dirty = false;
  std::int64_t cores = 0;
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

/// One row of the log, in order.
using LogRow = std::variant<study::Event, study::Decision>;

/// full: on the disk when commit returns, whatever happens to the machine. normal: a power cut may take it, a crash of
/// the program does not.
enum class Durability { full, normal };

/// The writing side. One at a time per study: holds an OFD lock on <name>.lock; a second one is refused with host, PID
/// and start time of the first. All writes between begin and commit are one transaction.
/// @throws Error(store) locked, damaged, newer schema; Error(outside) disk full or I/O fault: nothing of the
/// transaction
///         is left, and the Store must not be used further.
class Store {
 public:
  /// Folder of the store (default ./dlrun-store); makes it (0700) where missing.
  static std::unique_ptr<Store> create(const std::filesystem::path& folder, const StudyRow& study,
                                       const space::Space& space);
  static std::unique_ptr<Store> open(const std::filesystem::path& folder, const std::string& name,
                                     const space::Space& space);
  /// Row of a study without taking the writer's lock; nullopt: no such study.
  static std::optional<StudyRow> find(const std::filesystem::path& folder, const std::string& name);
  /// All versions of its spec, oldest first; empty: no such study.
  static std::vector<StudyRow> versions(const std::filesystem::path& folder, const std::string& name);
  /// Sorted; empty where the folder is no store.
  static std::vector<std::string> names(const std::filesystem::path& folder);
  /// The study whose driver started last; nullopt in an empty store.
  static std::optional<std::string> last(const std::filesystem::path& folder);
  virtual ~Store() = default;

  /// @throws Error(outside) where another driver has taken the study over: this one writes nothing more. Every begin()
  /// asks too.
  virtual void require_ours() = 0;
  virtual void begin() = 0;
  virtual void commit(Durability durability) = 0;
  virtual void rollback() = 0;

  virtual void add(const study::Event& event) = 0;  ///< log row (chained), attempts, metrics, artifacts, edges
  /// Adds an event of a piece that no worker ran, with an edge to the piece whose result it is.
  virtual void cite(const study::PieceEnded& event, const Citation& citation) = 0;
  virtual void add(const study::Decision& decision) = 0;  ///< log row, trial and params rows, piece row
  /// An edge of a trial, that no attempt has.
  virtual void descend(trial::TrialId trial, const Origin& origin) = 0;
  /// The study is `version` from now on: log row, spec row, parameters and choices, and what trials so far have of new
  /// parameters (`values`: of every trial, by number). REQUIRES: the space begins as the one before.
  virtual void amend(const study::Amended& amended, const StudyRow& version, const space::Space& space,
                     const std::vector<space::Values>& values) = 0;
  virtual void change(const study::TrialChanged& change) = 0;
  virtual void change(const study::MemberMeasured& member) = 0;
  /// `resume`: artifact the piece goes on from (an edge), `partial`: the attempt whose epoch checkpoints it resumes,
  /// `donor`: whose artifact `resume` is, where it is another trial's, `copy_of`: the attempt that it runs beside.
  virtual void start_attempt(const trial::PieceKey& key, int attempt, std::int64_t worker,
                             const std::string& resume = {}, std::optional<int> partial = {},
                             const std::optional<trial::PieceKey>& donor = {}, int copy_of = 0) = 0;
  /// An attempt that an earlier opening's worker began goes on, with this worker of this opening.
  virtual void go_on(const trial::PieceKey& key, int attempt, std::int64_t worker) = 0;
  /// Was it given to a worker that had joined, and has no driver seen the end of either?
  virtual bool is_at_joined(const trial::PieceKey& key, int attempt) const = 0;
  /// The attempt's weights begin with these.
  virtual void start_from(const trial::PieceKey& key, int attempt, const std::vector<WeightDonor>& donors) = 0;
  virtual void telemetry(const trial::PieceKey& key, int attempt, const trial::Report& report) = 0;
  /// @param state  running | joined (it runs, and was not started by the driver) | ended | lost
  virtual void worker(std::int64_t number, std::int64_t pid, const std::string& host, const std::string& state) = 0;
  /// Records the runtime of a worker of this opening; its row is there. Returns the numerics class of an earlier
  /// opening's worker where it is another one; empty: all are equal.
  virtual std::string runtime(std::int64_t worker, const trial::Runtime& runtime) = 0;
  /// Values by optimiser step; a later attempt that passes the same steps overwrites them.
  virtual void steps(const trial::PieceKey& key, int attempt, const std::vector<trial::Report>& reports) = 0;
  /// Energy that an attempt took of its machine. @param source  cpu | dram | gpu    @param joules  nullopt: not known
  virtual void energy(const trial::PieceKey& key, int attempt, const std::string& source,
                      std::optional<double> joules) = 0;
  /// Energy that this opening's run spent beside attempts. @param what  idle | test
  virtual void energy(const std::string& what, const std::string& source, std::optional<double> joules) = 0;
  /// Records this opening's driver. Returns the `arithmetic` of an earlier opening's driver if it is another one, of
  /// the latest such driver; nullopt: all are equal.
  virtual std::optional<int> environment(const Environment& environment) = 0;
  virtual void study_state(const std::string& state,
                           const std::string& reason) = 0;  ///< running | finished | stopped | interrupted
  virtual void note(std::optional<trial::TrialId> trial, const std::string& text) = 0;
  virtual void tag(std::optional<trial::TrialId> trial, const std::string& tag, bool remove) = 0;

  /// Every row of the log in order, chain verified. @throws Error(store) naming the first row that does not fit.
  virtual void replay(const std::function<void(const LogRow&)>& row) = 0;
  virtual std::filesystem::path artifacts() const = 0;  ///< <store>/artifacts
  virtual std::filesystem::path attempt_folder(const trial::PieceKey& key, int attempt) const = 0;
  /// Deletes the checkpoints that attempts of this trial left to be gone on from; logs and everything else stay. For a
  /// trial that never goes on: its results are artifacts.
  virtual void remove_partials(trial::TrialId trial) = 0;
  /// Gives up the artifacts that the policy does not keep and deletes files that no study of the store refers to; while
  /// another study is being written the files stay for collect_garbage(). Call it outside of a transaction.
  virtual Collected collect_artifacts(const KeepPolicy& keep) = 0;
  /// SHA-256 of the newest checkpoint that a member's pieces ended with; empty: there is none.
  virtual std::string last_artifact(const trial::Member& member) const = 0;
  /// The piece that made this artifact, the earliest of the first trial where there are several; nullopt: none of this
  /// study.
  virtual std::optional<Maker> maker_of(const std::string& sha256) const = 0;
  /// Bytes that an artifact of this study has; nullopt: it has none of that name.
  virtual std::optional<std::int64_t> bytes_of(const std::string& sha256) const = 0;
  /// SHA-256 of the artifacts that collect_artifacts() would leave.
  virtual std::vector<std::string> kept_artifacts(const KeepPolicy& keep) const = 0;
  /// A piece was run again because artifacts that it had made were missing or damaged.
  virtual void repair(const trial::PieceKey& key, int attempt, std::int64_t epochs, double seconds) = 0;
  /// Host and end of an attempt that a worker carried out; nullopt: none did, or it has not ended.
  virtual std::optional<Whereabouts> whereabouts(const trial::PieceKey& key, int attempt) const = 0;
  /// Warnings about the state of the file when it was opened: a tail lost in a power cut, values that diverged.
  virtual std::vector<std::string> warnings() const = 0;
  /// A clean end: checkpoint the WAL, leave one file that opens read-only anywhere.
  virtual void close() = 0;
};

}  // namespace dlrun::storage
