// SPDX-License-Identifier: Apache-2.0
// Staleness of a gang's updates: how many updates of other ranks the common model has taken in since the rank last had
// it, when it takes in the rank's own. The common model is the servers', or the mean that all ranks go on from. A step
// by the mean of all ranks is nobody's alone: there it is 0. Gossip has no common model, and no staleness.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace dlrun::parallel {

/// Over some updates of one rank.
struct Staleness {
  std::int64_t updates = 0;
  std::int64_t sum = 0;
  std::int64_t most = 0;

  void note(std::int64_t missed, std::int64_t count = 1) {
    updates += count;
    sum += missed * count;
    most = std::max(most, missed);
  }
  void add(const Staleness& other) {
    updates += other.updates;
    sum += other.sum;
    most = std::max(most, other.most);
  }
  double mean() const { return updates > 0 ? double(sum) / double(updates) : 0; }
};

/// A server's account of its ranks.
class StalenessTally {
 public:
  StalenessTally() = default;
  explicit StalenessTally(int ranks) : missed_(std::size_t(ranks)), seen_(std::size_t(ranks)) {}

  /// Forgets the updates of the epoch before; what ranks have missed stays.
  void begin_epoch() { seen_.assign(seen_.size(), {}); }
  /// The server takes in so many updates of a rank at once.
  void take_in(int rank, std::int64_t count = 1) {
    seen_[std::size_t(rank)].note(missed_[std::size_t(rank)], count);
    for (std::size_t other = 0; other < missed_.size(); ++other) missed_[other] += int(other) == rank ? 0 : count;
  }
  /// The same of an update that is part of a step by the mean of ranks.
  void take_in_step(int rank) { seen_[std::size_t(rank)].note(0); }
  /// The rank has the model as it is now.
  void answer(int rank) { missed_[std::size_t(rank)] = 0; }

  const std::vector<Staleness>& seen() const { return seen_; }
  /// By rank; the state that lasts from one epoch to the next.
  const std::vector<std::int64_t>& missed() const { return missed_; }
  bool has_missed() const {
    return std::any_of(missed_.begin(), missed_.end(), [](std::int64_t count) { return count != 0; });
  }
  /// Calls `change` with each list that has a place for every rank.
  template <class Change>
  void for_lists(const Change& change) {
    if (missed_.empty()) return;
    change(missed_);
    change(seen_);
  }
  void restore(std::vector<std::int64_t> missed) { missed_ = std::move(missed); }

 private:
  std::vector<std::int64_t> missed_;  ///< updates of others since the last answer
  std::vector<Staleness> seen_;       ///< by rank
};

}  // namespace dlrun::parallel
