// SPDX-License-Identifier: Apache-2.0
// The model of several ranks or shards.
#pragma once
#include "parallel/algorithm.hpp"
#include "parallel/vectors.hpp"

namespace dlrun::parallel {

/// The servers' shards together.
template <class Real>
std::vector<Real> model_of(const std::vector<Server<Real>>& servers) {
  std::vector<Real> whole;
  for (const Server<Real>& server : servers) whole.insert(whole.end(), server.weights.begin(), server.weights.end());
  return whole;
}

/// The mean of the ranks, summed in their order.
template <class Real>
std::vector<Real> mean_of(const std::vector<Rank<Real>>& ranks) {
  std::vector<Real> mean(ranks.front().weights.size());
  for (const Rank<Real>& rank : ranks) add_to(mean, rank.weights);
  scale(mean, 1.0 / double(ranks.size()));
  return mean;
}

}  // namespace dlrun::parallel
