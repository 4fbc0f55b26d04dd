// SPDX-License-Identifier: Apache-2.0
// Deterministic splits: which row is for training, validation and test.
#pragma once
#include <cstdint>
#include <vector>

namespace dlrun::dataset {

struct Shares {
  double train = 0.7;
  double val = 0.15;
  double test = 0.15;  ///< together 1
};

struct Rows {
  std::vector<std::int64_t> train, val, test;  ///< ascending
  /// Number of the group or the stretch of time of each row of val (clusters.hpp); empty: each row is by itself.
  std::vector<std::int64_t> clusters = {};
};

/// Draws a split by the streams (seed, "split", class). Stratified: within a class rows are shuffled, and row i of n
/// gets the rank (i + 1/2) / n; all rows are ordered by rank and cut at the shares. So sizes are exact to a row in all
/// and within one row in every class.
/// @param strata class of each row, in [0, …); all 0: no stratification.
Rows split_rows(const std::vector<std::int64_t>& strata, const Shares& shares, std::uint64_t seed);

/// Parts of which one or some are for validation; the others train.
struct Folds {
  int count = 10;
  int fold = 0;       ///< the first part that is val, from 0
  double test = 0;    ///< share that is set apart first, the same for every fold
  int val_folds = 1;  ///< so many parts are val, less than count; after the last part comes the first

  bool is_val(int part) const { return (part - fold + count) % count < val_folds; }
};

/// Orders rows as split_rows does, cuts off the test share and the rest into parts that differ by at most one row;
/// every class has its share in every part, within one row. Every row that is not for test is val in val_folds folds.
Rows fold_rows(const std::vector<std::int64_t>& strata, const Folds& folds, std::uint64_t seed);

/// No group in two splits. Groups in an order drawn by the stream (seed, "split", "groups"), each to the split that
/// lacks most rows.
/// @param groups number of each row's group, in [0, …)
Rows split_groups(const std::vector<std::int64_t>& groups, const Shares& shares, std::uint64_t seed);

/// Folds without a group in two parts: large groups come first, so that parts are as equal as whole groups allow.
Rows fold_groups(const std::vector<std::int64_t>& groups, const Folds& folds, std::uint64_t seed);

/// The earliest rows train, the latest test. Rows of one time stay together: a cut goes to the nearest border between
/// two times, to the later of two that are as near.
/// @param times place of each row's time, equal for equal times, in [0, …)
Rows split_times(const std::vector<std::int64_t>& times, const Shares& shares);

/// `count` of the rows, ascending, drawn the same way by the streams (seed, "limit", class).
std::vector<std::int64_t> choose_rows(const std::vector<std::int64_t>& strata, std::int64_t count, std::uint64_t seed);

}  // namespace dlrun::dataset
