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
};

/// Draws a split by the streams (seed, "split", class). Stratified: within a class rows are shuffled, and row i of n
/// gets the rank (i + 1/2) / n; all rows are ordered by rank and cut at the shares. So sizes are exact to a row in all
/// and within one row in every class.
/// @param strata class of each row, in [0, …); all 0: no stratification.
Rows split_rows(const std::vector<std::int64_t>& strata, const Shares& shares, std::uint64_t seed);

/// `count` of the rows, ascending, drawn the same way by the streams (seed, "limit", class).
std::vector<std::int64_t> choose_rows(const std::vector<std::int64_t>& strata, std::int64_t count, std::uint64_t seed);

}  // namespace dlrun::dataset
