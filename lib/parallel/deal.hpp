// SPDX-License-Identifier: Apache-2.0
// The batches of an epoch, and which rank may take which.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace dlrun::parallel {

/// Batches belong to all ranks: rank r of n in step has number r of every n, and out of step a rank takes the next
/// number. Or each rank has a list of its own, and its k-th batch has number r + n k; numbers may then be without a
/// batch where one list is shorter than another.
class Deal {
 public:
  Deal() = default;
  // A number alone is an epoch of so many batches, and is written so: NOLINTNEXTLINE(google-explicit-constructor)
  Deal(std::int64_t batches) : batches_(batches) {}
  explicit Deal(std::vector<std::int64_t> lists)
      : batches_(std::accumulate(lists.begin(), lists.end(), std::int64_t(0))), lists_(std::move(lists)) {}

  std::int64_t batches() const { return batches_; }
  /// Each rank has a list.
  bool has_lists() const { return !lists_.empty(); }
  /// Batches of each rank; empty: they belong to all.
  const std::vector<std::int64_t>& lists() const { return lists_; }
  std::int64_t of_rank(int rank) const { return lists_[std::size_t(rank)]; }
  /// Rounds in which some rank has a batch.
  std::int64_t rounds(int ranks) const {
    return has_lists() ? *std::max_element(lists_.begin(), lists_.end()) : (batches_ + ranks - 1) / ranks;
  }
  /// Whether a rank has a batch in a round, if ranks go in step.
  bool has(int rank, std::int64_t round, int ranks) const {
    return has_lists() ? round < of_rank(rank) : round * ranks + rank < batches_;
  }
  /// Ranks that have one.
  int in_round(std::int64_t round, int ranks) const {
    int count = 0;
    for (int rank = 0; rank < ranks; ++rank) count += has(rank, round, ranks) ? 1 : 0;
    return count;
  }

 private:
  std::int64_t batches_ = 0;
  std::vector<std::int64_t> lists_;
};

}  // namespace dlrun::parallel
