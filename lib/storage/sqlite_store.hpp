// SPDX-License-Identifier: Apache-2.0
// The Store over SQLite.
//
// Commits run with synchronous=NORMAL and a full one syncs the WAL itself, through SQLite's own file handle: PRAGMA
// synchronous cannot change inside a transaction, and which kind a group needs is known only at its end. What returned
// from commit(full) is on the disk, exactly as with synchronous=FULL.
#pragma once
#include <chrono>

#include "storage/lock.hpp"
#include "storage/log_table.hpp"
#include "storage/metric_tables.hpp"
#include "storage/sqlite.hpp"
#include "storage/start_tables.hpp"
#include "storage/store.hpp"
#include "storage/trial_tables.hpp"

namespace dlrun::storage {

/// An opening of a study for writing: its number fences older ones.
std::int64_t take_epoch(Database& database);

class SqliteStore final : public Store {
 public:
  /// `database` is migrated already.
  SqliteStore(std::filesystem::path folder, std::string name, WriterLock lock, std::unique_ptr<Database> database);
  ~SqliteStore() override;

  void require_ours() override;
  void begin() override;
  void commit(Durability durability) override;
  void rollback() override;

  void add(const study::Event& event) override;
  void cite(const study::PieceEnded& event, const Citation& citation) override;
  void add(const study::Decision& decision) override;
  void descend(trial::TrialId trial, const Origin& origin) override;
  void amend(const study::Amended& amended, const StudyRow& version, const space::Space& space,
             const std::vector<space::Values>& values) override;
  void change(const study::TrialChanged& change) override;
  void change(const study::MemberMeasured& member) override;
  void start_attempt(const trial::PieceKey& key, int attempt, std::int64_t worker, const std::string& resume,
                     std::optional<int> partial, const std::optional<trial::PieceKey>& donor, int copy_of) override;
  void go_on(const trial::PieceKey& key, int attempt, std::int64_t worker) override;
  bool is_at_joined(const trial::PieceKey& key, int attempt) const override;
  void start_from(const trial::PieceKey& key, int attempt, const std::vector<WeightDonor>& donors) override;
  void telemetry(const trial::PieceKey& key, int attempt, const trial::Report& report) override;
  void worker(std::int64_t number, std::int64_t pid, const std::string& host, const std::string& state) override;
  std::string runtime(std::int64_t worker, const trial::Runtime& runtime) override;
  void steps(const trial::PieceKey& key, int attempt, const std::vector<trial::Report>& reports) override;
  void energy(const trial::PieceKey& key, int attempt, const std::string& source,
              std::optional<double> joules) override;
  void energy(const std::string& what, const std::string& source, std::optional<double> joules) override;
  std::optional<int> environment(const Environment& environment) override;
  void study_state(const std::string& state, const std::string& reason) override;
  void note(std::optional<trial::TrialId> trial, const std::string& text) override;
  void tag(std::optional<trial::TrialId> trial, const std::string& tag, bool remove) override;

  void replay(const std::function<void(const LogRow&)>& row) override;
  std::filesystem::path artifacts() const override;
  std::filesystem::path attempt_folder(const trial::PieceKey& key, int attempt) const override;
  void remove_partials(trial::TrialId trial) override;
  Collected collect_artifacts(const KeepPolicy& keep) override;
  std::string last_artifact(const trial::Member& member) const override;
  std::optional<Maker> maker_of(const std::string& sha256) const override;
  std::optional<std::int64_t> bytes_of(const std::string& sha256) const override;
  std::vector<std::string> kept_artifacts(const KeepPolicy& keep) const override;
  void repair(const trial::PieceKey& key, int attempt, std::int64_t epochs, double seconds) override;
  std::optional<Whereabouts> whereabouts(const trial::PieceKey& key, int attempt) const override;
  std::vector<std::string> warnings() const override;
  void close() override;

 private:
  /// Everything that holds statements; made after the file is ready, gone before it is closed.
  struct Tables {
    Tables(Database& database, std::int64_t epoch);
    LogTable log;
    TrialTables trials;
    AttemptTables attempts;
    MetricTables metrics;
    StartTables starts;
    Statement begin, commit, rollback, newest_writer, energy, end, hosts;
  };

  void add_result(const trial::PieceResult& result);
  void add_lost(const study::AttemptLost& lost);
  void compare_head();
  void write_head_sometimes();
  void write_snapshot_sometimes();
  void sync_wal();
  void leave_one_file();
  void require_transaction() const;
  void require_newest();
  [[noreturn]] void give_up(const std::string& winner);

  std::filesystem::path folder_;
  std::string name_;
  WriterLock lock_;
  std::unique_ptr<Database> database_;
  std::int64_t epoch_ = 0;
  std::unique_ptr<Tables> tables_;
  bool is_open_ = false;    ///< a transaction is
  bool is_broken_ = false;  ///< a write failed: this object must not be used further
  std::vector<std::string> warnings_;
  std::chrono::steady_clock::time_point head_written_;
  bool is_on_network_ = false;
  std::chrono::steady_clock::time_point snapshot_written_;
};

}  // namespace dlrun::storage
