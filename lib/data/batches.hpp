// SPDX-License-Identifier: Apache-2.0
// The training split, batch by batch, in an order of its own for every epoch, augmented where the section says so.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "data/data.hpp"
#include "data/prefetch.hpp"
#include "data/sampler.hpp"

namespace dlrun::data {

struct BatchOptions {
  std::int64_t batch_size = 32;
  Json section = nullptr;  ///< the `data:` section; its augment, sampler, drop_last and prefetch are read
  bool is_pinned = false;  ///< Data::buffers
};

/// Copies each batch's rows into buffers that are used again and again, in this thread or ahead in others.
/// A last batch of a single example is left out (batch norm has no variance there): another example in each epoch.
class Batches {
 public:
  /// @param data  lent for as long as this lives
  Batches(const Data& data, const BatchOptions& options, std::uint64_t seed, int replicate);
  Batches(const Data& data, std::int64_t batch_size, std::uint64_t seed, int replicate)
      : Batches(data, BatchOptions{batch_size}, seed, replicate) {}
  ~Batches();

  /// Batches in an epoch.
  std::int64_t count() const { return count_; }
  /// Threads that prepare batches ahead; 0: none.
  int prefetching() const { return threads_; }
  /// Draws the order of an epoch, counted from 1.
  void begin_epoch(std::int64_t epoch);
  /// Batch `index` of the epoch; valid until the next call.
  Examples batch(std::int64_t index);

 private:
  /// A whole batch, and the epoch's last where it is smaller.
  struct Buffers {
    Examples whole, rest;
  };

  Buffers make_buffers() const;
  int choose_threads(const Json& wanted) const;
  void draw(std::int64_t epoch);
  const Examples& fill(std::int64_t index, const Buffers& buffers) const;
  Appearance appearance(std::int64_t place) const {
    return {rows_[std::size_t(place)], turns_.empty() ? 0 : turns_[std::size_t(place)]};
  }
  void augment(std::int64_t begin, const Examples& batch) const;
  void mix(std::int64_t place, std::int64_t i, const Examples& batch, std::vector<float>& scratch) const;

  const Data& data_;
  std::int64_t batch_size_, count_ = 0;
  bool is_pinned_;
  bool uses_rest_ = false;
  Sampler sampler_;
  Augment augment_;
  std::vector<std::int64_t> rows_;   ///< rows of the data set, in this epoch's order
  std::vector<std::int64_t> turns_;  ///< how often each row came before, where rows repeat
  std::vector<Buffers> buffers_;
  int threads_ = 0;
  std::int64_t next_ = -1;              ///< the batch that is prepared ahead for the next call
  std::unique_ptr<Prefetch> prefetch_;  ///< last: its threads use all of the above
};

}  // namespace dlrun::data
