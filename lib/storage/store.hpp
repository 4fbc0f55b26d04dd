// SPDX-License-Identifier: Apache-2.0
// One study is one SQLite file (WAL) that only its driver writes. Events and decisions are rows of one chained log;
// tables beside it, written in the same transaction, hold the answers to people's questions.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/attempt_rows.hpp"
#include "storage/opening_rows.hpp"
#include "storage/raced_winner.hpp"
#include "storage/rows.hpp"
#include "storage/side_files.hpp"
#include "storage/stored_artifacts.hpp"
#include "storage/transaction.hpp"

namespace dlrun::storage {

/// The writing side. One at a time per study: holds an OFD lock on <name>.lock; a second one is refused with host, PID
/// and start time of the first. All writes between begin and commit are one transaction.
/// @throws Error(store) locked, damaged, newer schema; Error(outside) disk full or I/O fault: nothing of the
/// transaction
///         is left, and the Store must not be used further.
class Store {
 public:
  /// Folder of the store (default ./dlrun-store); makes it (0700) if it is missing.
  static std::unique_ptr<Store> create(const std::filesystem::path& folder, const StudyRow& study,
                                       const space::Space& space);
  static std::unique_ptr<Store> open(const std::filesystem::path& folder, const std::string& name,
                                     const space::Space& space);
  /// Row of a study without taking the writer's lock; nullopt: no such study.
  static std::optional<StudyRow> find(const std::filesystem::path& folder, const std::string& name);
  /// All versions of its spec, oldest first; empty: no such study.
  static std::vector<StudyRow> versions(const std::filesystem::path& folder, const std::string& name);
  /// Sorted; empty if the folder is no store.
  static std::vector<std::string> names(const std::filesystem::path& folder);
  /// The study whose driver started last; nullopt in an empty store.
  static std::optional<std::string> last(const std::filesystem::path& folder);
  /// `database` is migrated already.
  Store(const std::filesystem::path& folder, const std::string& name, WriterLock lock,
        std::unique_ptr<Database> database);
  ~Store();

  AttemptRows& attempts() const;
  OpeningRows& opening() const;
  StoredArtifacts& artifacts() const;

  /// @throws Error(outside) if another driver has taken the study over: this one writes nothing more. Every begin()
  /// asks too.
  void require_ours();
  void begin();
  void commit(Durability durability);
  void rollback();

  void add(const study::Event& event);  ///< log row (chained), attempts, metrics, artifacts, edges
  /// Adds an event of a piece that no worker ran, with an edge to the piece whose result it is.
  void cite(const study::PieceEnded& event, const Citation& citation);
  void add(const study::Decision& decision);  ///< log row, trial and params rows, piece row
  /// The study is `version` from now on: log row, spec row, parameters and choices, and the values of new parameters
  /// that trials so far have (`values`: of every trial, by number). REQUIRES: the space begins as the one before.
  void amend(const study::Amended& amended, const StudyRow& version, const space::Space& space,
             const std::vector<space::Values>& values);
  /// The study has other settings from now on, which no result depends on. REQUIRES: hash and name are the newest
  /// version's.
  void renew_settings(const StudyRow& row);
  void change(const study::TrialChanged& change);
  void change(const study::MemberMeasured& member);
  /// @param state  running | finished | stopped | interrupted
  void study_state(const std::string& state, const std::string& reason);
  /// State that the file says, as of study_state().
  std::string state() const;
  void note(std::optional<trial::TrialId> trial, const std::string& text);
  void tag(std::optional<trial::TrialId> trial, const std::string& tag, bool remove);
  /// The best trial is the winner of a race, while no further trial completes.
  void crown(const RacedWinner& winner);

  /// Every row of the log in order, chain verified. @throws Error(store) naming the first row that does not fit.
  void replay(const std::function<void(const LogRow&)>& row);
  /// Warnings about the state of the file when it was opened: a tail lost in a power cut, values that diverged.
  std::vector<std::string> warnings() const;
  /// A clean end: checkpoint the WAL, leave one file that opens read-only anywhere.
  void close();

 private:
  struct Parts;
  Parts& parts() const;
  void leave_one_file();

  std::filesystem::path folder_;
  std::string name_;
  WriterLock lock_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Parts> parts_;  ///< everything that holds statements; none after close()
  SideFiles beside_;
  std::vector<std::string> warnings_;
};

}  // namespace dlrun::storage
