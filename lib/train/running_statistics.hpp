// SPDX-License-Identifier: Apache-2.0
// Running statistics of the processes of a gang: each has its own in an epoch, and all take their mean after it.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "train/heads.hpp"
#include "train/network.hpp"

namespace dlrun::train {

using Spans = std::vector<std::span<float>>;

std::size_t size_of(const Spans& all);

/// Running statistics of a network.
Spans running_statistics(const Network& network);

/// Batches that its batch norms have seen, by layer: the first process's own number stays after an epoch.
std::vector<std::int64_t> batch_counts(const Network& network);
/// REQUIRES: of the same model.
void set_batch_counts(const Network& network, const std::vector<std::int64_t>& counts);

/// Makes those of the first process the mean over the processes that had a batch.
class StatisticsMean {
 public:
  /// @param own     numbers of the first process
  /// @param counts  whether it had a batch
  StatisticsMean(Spans own, bool counts) : own_(std::move(own)), count_(counts ? 1 : 0) {}

  /// Takes in those of another process that had one.
  void add(std::span<const float> numbers);
  void finish();

 private:
  Spans own_;
  int count_;
};

/// Parts of a training that each rank's process has for itself, where one process plays them all.
class OwnParts {
 public:
  /// At the begin of an epoch, where all have the same. @param network  lent
  OwnParts(Network& network, int ranks, const SplitSums& fresh);

  /// A rank's pass begins: the network has its running statistics until leave().
  void enter(int rank);
  void leave(int rank);
  SplitSums& sums(int rank) { return ranks_[std::size_t(rank)].sums; }
  /// After the epoch: the network has the mean. @return sums of all
  SplitSums merge();

 private:
  struct Own {
    std::vector<float> statistics;
    std::vector<std::int64_t> counts;
    SplitSums sums;
    bool has_computed = false;
  };
  std::vector<float> numbers() const;
  void show(const Own& own);

  Network& network_;
  Spans shown_;
  std::vector<Own> ranks_;
};

}  // namespace dlrun::train
