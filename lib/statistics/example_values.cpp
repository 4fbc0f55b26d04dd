// SPDX-License-Identifier: Apache-2.0
#include "statistics/example_values.hpp"

#include <map>

#include "statistics/summary.hpp"

namespace dlrun::statistics {

namespace {

/// sum + weight * other, over the examples of both.
ExampleValues added(const ExampleValues& sum, const ExampleValues& other, double weight) {
  ExampleValues out;
  for (std::size_t i = 0, j = 0; i < sum.rows.size() && j < other.rows.size();) {
    if (sum.rows[i] == other.rows[j]) {
      out.rows.push_back(sum.rows[i]);
      out.values.push_back(sum.values[i] + weight * other.values[j]);
    }
    const bool is_behind = sum.rows[i] <= other.rows[j], is_ahead = sum.rows[i] >= other.rows[j];
    i += is_behind ? 1 : 0;
    j += is_ahead ? 1 : 0;
  }
  return out;
}

}  // namespace

ExampleValues clustered(ExampleValues run, const std::vector<std::int64_t>& clusters) {
  if (clusters.empty()) return run;
  const double m = mean(run.values);
  std::map<std::int64_t, double> sums;
  for (std::size_t i = 0; i < clusters.size(); ++i) sums[clusters[i]] += run.values[i] - m;
  const double share = double(sums.size()) / double(clusters.size());
  ExampleValues out;
  for (const auto& [cluster, sum] : sums) {
    out.rows.push_back(cluster);
    out.values.push_back(m + share * sum);
  }
  return out;
}

ExampleValues combined(const std::vector<Weighted>& runs) {
  ExampleValues sum = *runs.front().run;
  for (double& value : sum.values) value *= runs.front().weight;
  for (std::size_t i = 1; i < runs.size(); ++i) sum = added(sum, *runs[i].run, runs[i].weight);
  return sum;
}

}  // namespace dlrun::statistics
