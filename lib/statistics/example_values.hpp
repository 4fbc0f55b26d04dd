// SPDX-License-Identifier: Apache-2.0
// A metric that is a mean over examples, example by example.
#pragma once
#include <cstdint>
#include <vector>

namespace dlrun::statistics {

/// One number for each example that a run was judged on (1 where it was right, say, or its loss). Their mean is the
/// run's metric.
struct ExampleValues {
  std::vector<std::int64_t> rows;  ///< numbers of the examples in the data set, ascending
  std::vector<double> values;
};

/// A run's values by cluster of examples that are alike (a group, a stretch of time), in place of examples: with M the
/// mean of N values in B clusters, that of a cluster is M + B / N (sum over its examples of value - M). So their mean
/// is M, and their spread is that of M as a ratio of sums over clusters, which may differ in size.
/// @param clusters  number of each value's cluster; empty: the values stay as they are
ExampleValues clustered(ExampleValues run, const std::vector<std::int64_t>& clusters);

/// A run's values with a weight (1 or -1, say).
struct Weighted {
  const ExampleValues* run;
  double weight;
};

/// Weighted sum of the runs' values, over the examples that all of them were judged on. REQUIRES: runs.
ExampleValues combined(const std::vector<Weighted>& runs);

}  // namespace dlrun::statistics
