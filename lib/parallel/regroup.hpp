// SPDX-License-Identifier: Apache-2.0
// A gang that goes on without a rank which was lost in the middle of a round, and one that gets a rank back.
#pragma once
#include <algorithm>
#include <cstddef>

#include "parallel/algorithm.hpp"

namespace dlrun::parallel {

/// Calls `change` with each list of the members that has a place for every rank.
template <class Real, class Change>
void for_lists_by_rank(Members<Real>& members, const Change& change) {
  change(members.ranks);
  for (Server<Real>& server : members.servers) {
    if (!server.counts.empty()) change(server.counts);
    if (!server.answered.empty()) change(server.answered);
    server.staleness.for_lists(change);
  }
}

/// REQUIRES: another rank stays.
template <class Real>
void leave(const Algorithm<Real>& algorithm, Members<Real>& members, std::size_t rank) {
  for (Server<Real>& server : members.servers) {
    if (algorithm.has_total_counts()) server.counts[rank == 0 ? 1 : 0] += server.counts[rank];
  }
  for_lists_by_rank(members, [&](auto& list) { list.erase(list.begin() + std::ptrdiff_t(rank)); });
}

/// The new rank is as the first one. If shares of a push-sum matter, it gets half of that one's: the model stays.
template <class Real>
void join(const Algorithm<Real>& algorithm, Members<Real>& members, std::size_t rank) {
  if (algorithm.shares() != 0) members.ranks.front().weight /= 2;
  for_lists_by_rank(members, [&](auto& list) {
    auto copy = list.front();
    list.insert(list.begin() + std::ptrdiff_t(rank), std::move(copy));
  });
  for (Server<Real>& server : members.servers) {
    if (algorithm.has_total_counts()) server.counts[rank] = 0;
  }
}

/// Ranks that go in step are in the same round again, some of them having taken a step that others have not. Messages
/// that were under way are lost, with their shares of a push-sum, and with answers of servers: nobody knows what a rank
/// has of those.
template <class Real>
void mend(const Algorithm<Real>& algorithm, Members<Real>& members) {
  const Rank<Real>& first = members.ranks.front();
  for (Rank<Real>& rank : members.ranks) {
    if (algorithm.is_synchronous()) rank.clock = first.clock, rank.pulled = first.pulled;
    if (algorithm.has_equal_anchors()) rank.anchor = first.anchor, rank.velocity = first.velocity;
  }
  for (Server<Real>& server : members.servers) std::fill(server.answered.begin(), server.answered.end(), -1);
  if (algorithm.has_equal_ranks()) {
    const std::vector<Real> model = algorithm.model(members);
    for (Rank<Real>& rank : members.ranks) rank.weights = model;
  }
  double sum = 0;
  for (const Rank<Real>& rank : members.ranks) sum += rank.weight;
  if (algorithm.shares() == 0 || sum == 0) return;
  for (Rank<Real>& rank : members.ranks) rank.weight *= algorithm.shares() / sum;
}

}  // namespace dlrun::parallel
