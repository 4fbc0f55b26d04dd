// SPDX-License-Identifier: Apache-2.0
// The training examples of each rank, epoch by epoch: `data.partition` of a trial.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/data.hpp"
#include "data/partition.hpp"
#include "dataset/partition_section.hpp"
#include "nn/layer.hpp"
#include "parallel/deal.hpp"
#include "train/example_losses.hpp"
#include "train/intervals.hpp"
#include "trial/trial.hpp"

namespace dlrun::train {

/// A function of seed, replicate, epoch and, where importance decides, of the losses that were noted. Every process of
/// a gang has one. Streams: {"partition", "fixed", replicate} and {"partition", "random", replicate, epoch} deal
/// examples out, {"partition", "order", replicate, epoch, rank} shuffles those of a rank.
class Partition {
 public:
  struct Options {
    dataset::Partition settings;
    int ranks = 1;
    std::int64_t batch_size = 1;
    bool drops_rest = false;     ///< data.drop_last
    bool is_sequential = false;  ///< data.sampler: ranks keep the order of the file
    std::int64_t epochs = 1;     ///< epochs of the whole training
  };
  /// @param data  lent
  Partition(const Options& options, const data::Data& data, const nn::Streams& streams);

  /// Batches of every epoch, by rank.
  const parallel::Deal& deal() const { return deal_; }
  /// Numbers of an epoch's batches: Deal's, those without a batch among them.
  std::int64_t numbers() const { return deal_.rounds(options_.ranks) * options_.ranks; }

  /// Deals out anew if an interval begins with this epoch, from 1.
  /// @return examples of each rank, in this epoch's order    @throws Error(internal) if one is missing or there twice
  const std::vector<data::Order>& begin(std::int64_t epoch);

  /// Whether losses of this epoch are asked for.
  bool collects(std::int64_t epoch) const { return intervals_ && intervals_->collects(epoch); }
  /// Takes the losses of a batch of the epoch under way.
  void note(std::int64_t batch, const std::vector<float>& losses);
  /// Losses of the epoch so far, on their way to another process.
  Json noted() const { return losses_.noted(); }
  void take_noted(const Json& noted) { losses_.note_all(noted); }
  /// The epoch's losses count from now on.
  void end_epoch() { losses_.end_epoch(options_.settings.importance->aggregate == "last"); }

  /// For other processes: which interval it is and who has what. They take it in before begin().
  Json assignment() const;
  void take_assignment(const Json& json);
  /// After begin(). @throws Error(internal) if the processes differ
  void require_same(const Json& assignment) const;

  /// File with the ranks of all examples, if they stay for longer than an epoch and `epoch` was the first one.
  std::optional<std::string> file(std::int64_t epoch) const;
  /// The interval in words, for the trial's log.
  std::string text(const std::string& sha256) const;

  /// State that lasts from epoch to epoch; floats, for a checkpoint.
  std::vector<std::pair<std::string, std::span<float>>> tensors();
  Json counters() const;
  /// @throws Json::exception
  void restore(const Json& counters);

  /// Files of the intervals so far, in the store.
  const std::vector<trial::Artifact>& published() const { return published_; }
  void note_published(trial::Artifact artifact) { published_.push_back(std::move(artifact)); }

 private:
  static constexpr std::int64_t kNone = -1;  ///< no interval: dealt out anew

  std::int64_t interval_of(std::int64_t epoch) const;
  data::Owners fixed(std::int64_t interval) const;
  data::Owners random(std::int64_t epoch) const;
  data::Owners by_importance(std::int64_t interval) const;
  data::Order ordered(data::Order part, std::int64_t epoch, int rank) const;
  std::int64_t list_size(std::int64_t part) const;
  parallel::Deal make_deal() const;
  std::vector<std::int64_t> labels() const;

  Options options_;
  const data::Data& data_;
  nn::Streams streams_;
  std::int64_t count_;                  ///< training examples
  std::optional<Intervals> intervals_;  ///< where importance decides
  ExampleLosses losses_;                ///< losses of the interval under way; empty if nothing asks for them
  std::vector<float> owners_;           ///< rank of each example; floats hold all ranks
  std::int64_t held_ = kNone;           ///< interval that owners_ are of
  std::int64_t moved_ = 0;              ///< examples that changed ranks when it began
  parallel::Deal deal_;
  std::vector<data::Order> lists_;
  std::vector<trial::Artifact> published_;
};

}  // namespace dlrun::train
