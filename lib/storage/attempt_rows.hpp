// SPDX-License-Identifier: Apache-2.0
// Attempts and their measures: dl_attempt, dl_edge, dl_metric, dl_artifact, dl_start, dl_energy, dl_repair. Everything
// that is written needs an open transaction.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "storage/gang_table.hpp"
#include "storage/metric_tables.hpp"
#include "storage/start_tables.hpp"
#include "storage/transaction.hpp"
#include "storage/trial_tables.hpp"

namespace dlrun::storage {

class AttemptRows {
 public:
  /// @param epoch  number of this opening
  AttemptRows(Database& database, const Transaction& transaction, std::int64_t epoch);

  void start(const AttemptStart& start);
  /// An attempt that an earlier opening's worker began goes on, with this worker of this opening.
  void go_on(const trial::PieceKey& key, int attempt, std::int64_t worker);
  /// Whether it was given to a worker that had joined, and no driver has seen the end of either.
  bool is_at_joined(const trial::PieceKey& key, int attempt) const;
  /// When it was given out, in milliseconds since 1970; nullopt: to nobody yet, or it has ended.
  std::optional<std::int64_t> given_at(const trial::PieceKey& key, int attempt) const;
  /// Values of a member's steps `from` + 1 to `to`, those that no result has confirmed yet included.
  std::vector<trial::Report> values_of(const trial::Member& member, std::int64_t from, std::int64_t to) const;
  /// Forgets values of other attempts at the same piece. REQUIRES: the piece has not ended, so they have failed.
  void forget_others(const trial::PieceKey& key, int attempt);
  /// The attempt's weights begin with these.
  void start_from(const trial::PieceKey& key, int attempt, const std::vector<WeightDonor>& donors);
  /// Values that the attempt's end may replace.
  void telemetry(const trial::PieceKey& key, int attempt, const trial::Report& report);
  /// Values by optimiser step; a later attempt that passes the same steps overwrites them.
  void steps(const trial::PieceKey& key, int attempt, const std::vector<trial::Report>& reports);
  /// Costs of its ranks, by epoch.
  void gangs(const trial::PieceKey& key, int attempt, const std::vector<trial::GangReport>& reports);
  /// Energy that an attempt took of its machine. @param source  cpu | dram | gpu    @param joules  nullopt: not known
  void energy(const trial::PieceKey& key, int attempt, const std::string& source, std::optional<double> joules);
  /// A piece was run again because artifacts that it had made were missing or damaged.
  void repair(const trial::PieceKey& key, int attempt, std::int64_t epochs, double seconds);
  /// Host and end of an attempt that a worker carried out; nullopt: none did, or it has not ended.
  std::optional<Whereabouts> whereabouts(const trial::PieceKey& key, int attempt);

  void end(const trial::PieceResult& result);
  void lose(const study::AttemptLost& lost);
  /// Ends the row of an attempt whose trial was cancelled; it may have none.
  void abandon(const trial::PieceKey& key, int attempt);
  /// Likewise of all its attempts.
  void abandon(trial::TrialId trial);
  void measure(const trial::PieceResult& test);
  /// An attempt that no worker ran, with an edge to the piece whose result it has.
  void cite(const study::PieceEnded& event, const Citation& citation);
  /// An edge of a trial, that no attempt has.
  void descend(trial::TrialId trial, const Origin& origin);
  /// Forgets names that were new, after a rollback.
  void reload() { metrics_.reload(); }
  void tolerate_variation() { metrics_.tolerate_variation(); }
  /// Time that all attempts and repairs took, those that have no end included.
  double seconds() const;
  /// Divergences met since the file was opened.
  const std::vector<std::string>& divergences() const { return metrics_.divergences(); }

 private:
  /// Time that an attempt without a result took; nullopt: not known.
  std::optional<double> seconds_of(const trial::PieceKey& key, int attempt) const;

  Database& database_;
  const Transaction& transaction_;
  std::int64_t epoch_;
  AttemptTables attempts_;
  MetricTables metrics_;
  StartTables starts_;
  GangTable gangs_;
  Statement energy_, end_, hosts_;
};

}  // namespace dlrun::storage
