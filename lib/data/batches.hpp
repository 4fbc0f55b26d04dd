// SPDX-License-Identifier: Apache-2.0
// The training split, batch by batch, in an order of its own for every epoch, augmented where the section says so.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "data/data.hpp"
#include "data/partition.hpp"
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
  /// Takes an epoch's examples from the ranks' own lists: batch number r + n k is the k-th one of rank r of n, and
  /// count() is the first number after all. Some numbers have no batch where a rank has fewer than another.
  /// @param lists  examples by their number in the training split; repeated ones are augmented anew
  void begin_epoch(std::int64_t epoch, const std::vector<Order>& lists);
  /// Batch `index` of the epoch; valid until the next call.
  Examples batch(std::int64_t index);

 private:
  /// A whole batch, and the epoch's last where it is smaller.
  struct Buffers {
    Examples whole, rest;
  };

  /// Examples of a batch in `rows_`, and the stretch that mixing takes partners from.
  struct Cut {
    std::int64_t begin = 0, size = 0;
    std::int64_t list_begin = 0, list_size = 0;
  };

  Buffers make_buffers() const;
  int choose_threads(const Json& wanted) const;
  void draw(std::int64_t epoch);
  void use_lists(std::int64_t epoch, const std::vector<Order>& lists);
  void count_turns();
  Cut cut_of(std::int64_t index) const;
  Examples view(std::int64_t index, const Buffers& buffers) const;
  Examples fill(std::int64_t index, const Buffers& buffers) const;
  Appearance appearance(std::int64_t place) const {
    return {rows_[std::size_t(place)], turns_.empty() ? 0 : turns_[std::size_t(place)]};
  }
  void augment(const Cut& cut, const Examples& batch) const;
  void mix(const Cut& cut, std::int64_t i, const Examples& batch, std::vector<float>& scratch) const;

  const Data& data_;
  std::int64_t batch_size_, count_ = 0;
  bool is_pinned_;
  bool drops_rest_;
  std::int64_t rest_ = 0;  ///< size of the last batch, if it is a smaller one
  Sampler sampler_;
  Augment augment_;
  std::vector<std::int64_t> rows_;    ///< rows of the data set, in this epoch's order
  std::vector<std::int64_t> starts_;  ///< begin of each rank's list in rows_, and the end; empty: there are no lists
  std::vector<std::int64_t> turns_;   ///< how often each row came before, where rows repeat
  std::vector<Buffers> buffers_;
  int threads_ = 0;
  std::int64_t next_ = -1;              ///< the batch that is prepared ahead for the next call
  std::unique_ptr<Prefetch> prefetch_;  ///< last: its threads use all of the above
};

}  // namespace dlrun::data
