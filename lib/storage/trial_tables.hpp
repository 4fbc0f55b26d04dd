// SPDX-License-Identifier: Apache-2.0
// The tables about trials: dl_trial, dl_param, dl_decision, dl_attempt, dl_edge.
#pragma once
#include <optional>
#include <string>

#include "storage/rows.hpp"
#include "storage/sqlite.hpp"
#include "study/types.hpp"

namespace dlrun::storage {

class TrialTables {
 public:
  explicit TrialTables(Database& database);

  /// Every decision has a row; a start makes the trial with its params too.
  void add_decision(const study::Decision& decision);
  void change(const study::TrialChanged& change);
  void change(const study::MemberMeasured& c);
  /// Adds the values of active parameters, from parameter `first` on.
  void add_values(std::int64_t trial, const space::Values& values, std::size_t first);

 private:
  void add_trial(const study::Decision& decision);
  Statement decision_, trial_, param_, change_, member_, value_;
};

/// How an attempt ended, for its row.
struct AttemptEnd {
  trial::PieceKey key;
  int attempt = 0;
  trial::AttemptState state = trial::AttemptState::completed;
  trial::Cause cause = trial::Cause::none;
  std::string_view message;
  std::string_view log_tail;
  std::optional<double> seconds;  ///< nullopt: unknown
  std::int64_t peak_rss = 0;      ///< bytes, 0: unknown
  std::int64_t repeated = 0;      ///< epochs that a program did again
};

class AttemptTables {
 public:
  AttemptTables(Database& database, std::int64_t epoch);

  void start(const AttemptStart& start);
  void go_on(const trial::PieceKey& key, int attempt, std::int64_t worker);
  void end(const AttemptEnd& end);
  /// @param is_mean  of several donors
  void start_from(const trial::PieceKey& key, int attempt, const WeightDonor& donor, bool is_mean);
  /// An attempt without a worker; its end is to follow.
  void cite(const trial::PieceKey& key, int attempt, const Citation& citation);
  /// Adds the edge of an attempt whose first epochs are another member's.
  void share(const trial::PieceKey& key, int attempt, const trial::SharedStart& shared);
  void descend(trial::TrialId trial, const Origin& origin);

 private:
  void edge(const AttemptStart& start, const char* kind, std::optional<int> piece, std::optional<int> attempt,
            const std::string& artifact, std::optional<std::int64_t> trial = {},
            const std::optional<std::string>& study = {}, std::optional<std::int64_t> epochs = {});

  std::int64_t epoch_;
  Statement insert_, started_, moved_, end_, seconds_, edge_, earlier_;
};

}  // namespace dlrun::storage
