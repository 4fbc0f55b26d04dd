// SPDX-License-Identifier: Apache-2.0
// The tables of measured values and kept files: dl_metric, dl_divergence, dl_artifact.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "storage/sqlite.hpp"
#include "trial/trial.hpp"

namespace dlrun::storage {

/// A measured value: a number, or NULL and, in the next column, the name of one that is not finite.
double stored_value(const Statement& row, int column);

/// Attempt that reports.
struct Reporter {
  trial::PieceKey key;
  int attempt = 0;
};

/// The last committed value of a (member, step, metric) counts: earlier ones are of attempts that failed. A value that
/// differs from an earlier attempt's is a divergence.
class MetricTables {
 public:
  explicit MetricTables(Database& database);

  /// @param committed  false: telemetry, replaced by a committed value
  void add_report(const Reporter& who, const trial::Report& report, bool committed);
  /// Forgets values of other attempts at the same piece. REQUIRES: the member's steps are those before the piece.
  void forget_others(const Reporter& who);
  void add_artifact(const Reporter& who, const trial::Artifact& artifact);
  /// The file of a piece's artifact is not there.
  void drop(const trial::PieceKey& key, const std::string& sha256);
  /// Adds the values of an optimiser step: the newest attempt's value counts.
  void add_step(const Reporter& who, const trial::Report& report);
  /// Forgets names that were new, after a rollback.
  void reload();
  /// Values may differ from one attempt to the next: no divergence is noted from now on.
  void tolerate_variation() { is_varying_ = true; }
  /// Divergences met since the file was opened.
  const std::vector<std::string>& divergences() const { return divergences_; }

 private:
  void add_value(const Reporter& who, std::int64_t step, const trial::Metric& metric, bool committed);
  void meet_earlier(const Reporter& who, std::int64_t step, const trial::Metric& metric, bool committed);
  std::int64_t id_of(const std::string& name);

  Database& database_;
  std::map<std::string, std::int64_t> ids_;
  std::vector<std::string> divergences_;
  bool is_varying_ = false;
  Statement insert_, earlier_, confirm_, diverge_, forget_, artifact_, drop_, step_;
};

}  // namespace dlrun::storage
