// SPDX-License-Identifier: Apache-2.0
// Examples of the training split that an epoch has, in their order: a function of (seed, replicate, epoch) alone.
#pragma once
#include <cstdint>
#include <vector>

#include "data/data.hpp"

namespace dlrun::data {

/// Rows 0 … count - 1 shuffled (Fisher-Yates) by the stream {"order", replicate, epoch}.
std::vector<std::int64_t> epoch_order(std::uint64_t seed, int replicate, std::int64_t epoch, std::int64_t count);

class Sampler {
 public:
  /// @param section  `sampler` of a normalised section; null: shuffle.  @param data  lent
  Sampler(const Json& section, const Data& data, std::uint64_t seed, int replicate);

  /// Examples in an epoch.
  std::int64_t count() const { return count_; }
  /// Rows of the data set, count() of them.
  std::vector<std::int64_t> rows(std::int64_t epoch) const;
  /// May a row come more than once in an epoch?
  bool repeats() const { return op_ != "shuffle" && op_ != "sequential"; }

 private:
  void sort_by_class();
  void weigh(const Json& weights);
  std::vector<std::int64_t> drawn(std::int64_t epoch) const;
  std::vector<std::int64_t> oversampled(std::int64_t epoch) const;

  const Data& data_;
  std::string op_ = "shuffle";
  std::uint64_t seed_;
  int replicate_;
  std::int64_t count_;
  std::vector<std::vector<std::int64_t>> classes_;  ///< training rows of each class, where they are drawn by class
  std::vector<double> until_;                       ///< weight of all rows of a class and of those before it
};

}  // namespace dlrun::data
