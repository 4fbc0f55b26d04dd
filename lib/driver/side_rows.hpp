// SPDX-License-Identifier: Apache-2.0
// Rows beside the log that no decision rests on, gathered between two transactions.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/clock.hpp"
#include "driver/metering.hpp"
#include "executor/executor.hpp"
#include "storage/store.hpp"

namespace dlrun::driver {

/// A worker began or ended.
struct WorkerRow {
  std::int64_t number, pid;
  std::string host, state;  ///< state: as Store::worker() takes it
};

struct RuntimeRow {
  std::int64_t worker;
  trial::Runtime runtime;
};

/// An attempt was given to a worker.
struct StartRow {
  executor::AttemptKey attempt;
  std::int64_t worker;
  std::string resume;
  std::optional<int> partial;
  std::optional<trial::PieceKey> donor;
  std::vector<storage::WeightDonor> weights;  ///< donors of its first weights
  int copy_of = 0;                            ///< the attempt it runs beside
  bool goes_on = false;                       ///< an earlier driver began it, and its worker came back with it
};

/// A person's note, or a tag to add or take away.
struct Remark {
  std::optional<trial::TrialId> trial;  ///< none: the study
  std::string text;
  bool is_tag = false;
  bool is_removed = false;
};

/// A recorded piece was run again for its artifacts.
struct RepairRow {
  executor::AttemptKey piece;
  std::int64_t epochs;
  double seconds;
};

/// A row waits for the next transaction, or for kGroup; then one of its own is due, which needs no fsync.
class SideRows {
 public:
  static constexpr std::chrono::milliseconds kGroup{200};
  static constexpr std::size_t kMostStarts = 1000;  ///< more do not wait

  SideRows() = default;

  void add(WorkerRow row) { workers_.push_back(std::move(row)); }
  void add(RuntimeRow row) { runtimes_.push_back(std::move(row)); }
  void add(StartRow row, Clock::time_point now) { keep(starts_, std::move(row), now); }
  void add(executor::ReportCame row, Clock::time_point now) { keep(reports_, std::move(row), now); }
  void add(executor::StepsCame row, Clock::time_point now) { keep(curves_, std::move(row), now); }
  void add(Metering::Taken row, Clock::time_point now) { keep(energy_, std::move(row), now); }
  void add(RepairRow row, Clock::time_point now) { keep(repairs_, std::move(row), now); }
  /// Keeps a note that makes no transaction necessary.
  void add_quiet(Remark note, Clock::time_point now) { keep(quiet_notes_, std::move(note), now); }
  /// Keeps a remark that must be on the disk before anybody is answered.
  void add(Remark remark) { remarks_.push_back(std::move(remark)); }

  bool needs_full_commit() const { return !remarks_.empty(); }
  bool is_due(Clock::time_point now) const;
  /// How long the driver may wait for something to happen.
  std::chrono::milliseconds patience(Clock::time_point now) const;
  /// Writes and forgets all. REQUIRES: a transaction is open. @return what a person should know
  std::vector<std::string> write(storage::Store& store);

 private:
  explicit SideRows(bool has_told_numerics) : has_told_numerics_(has_told_numerics) {}
  template <class Row>
  void keep(std::vector<Row>& rows, Row row, Clock::time_point now) {
    rows.push_back(std::move(row));
    if (!oldest_) oldest_ = now;
  }

  std::vector<WorkerRow> workers_;
  std::vector<RuntimeRow> runtimes_;
  std::vector<StartRow> starts_;
  std::vector<executor::ReportCame> reports_;
  std::vector<executor::StepsCame> curves_;
  std::vector<Remark> remarks_, quiet_notes_;
  std::vector<RepairRow> repairs_;
  std::vector<Metering::Taken> energy_;
  std::optional<Clock::time_point> oldest_;
  bool has_told_numerics_ = false;
};

}  // namespace dlrun::driver
