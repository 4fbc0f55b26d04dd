// SPDX-License-Identifier: Apache-2.0
// Several ranks that train one model together, played by this process in virtual time (lib/parallel).
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "parallel/gang.hpp"
#include "parallel/virtual_cluster.hpp"
#include "train/epoch_batches.hpp"
#include "train/heads.hpp"
#include "train/lr_scaling.hpp"
#include "train/network.hpp"
#include "train/progress.hpp"
#include "train/step_facts.hpp"
#include "train/weight_steps.hpp"

namespace dlrun::train {

/// Parts of a Training that its ranks use, one after the other.
struct Shared {
  Network& network;
  EpochBatches& batches;
  Heads& heads;
  Progress& progress;
  LrScaling* scaling = nullptr;  ///< scales the learning rate; nullptr: nothing does
};

/// Every rank has weights and an optimiser's state of its own; the model's running statistics are one set, over the
/// batches of all. At the end of an epoch all is at rest, and the network has the model that the algorithm trains.
class Ranks final : private parallel::Learner<float> {
 public:
  /// @param shared  lent for as long as this lives
  Ranks(const Config& config, const nn::Streams& streams, const Shared& shared);
  ~Ranks() override;

  /// All begin with the network's weights.
  void begin();
  /// Plays until as many batches as there are ranks have been computed, and to the end of the epoch after the last.
  /// @param with_norm  measure the norm of the last gradient by which a node moved, before clipping
  /// @param tick       called before every batch; may throw, and then nothing more can be done with the ranks
  /// @throws Diverged.
  StepFacts step(bool with_norm, const std::function<void()>& tick);

  /// Virtual seconds of all epochs so far, and bytes that were sent.
  double seconds() const { return seconds_; }
  double bytes() const { return bytes_; }

  /// State that lasts from one epoch to the next: tensors, and numbers beside them.
  std::vector<NamedNumbers> tensors();
  Json counters() const;
  void restore(const Json& counters);

 private:
  using Gradient = parallel::Gradient<float>;

  Gradient gradient(int rank, std::int64_t batch, const std::vector<float>& weights) override;
  void skip(int rank, std::int64_t batch) override { batches_[std::size_t(rank)] = batch; }
  void note_squares(std::span<const float> squares) override { squares_.assign(squares.begin(), squares.end()); }
  void step(int node, const parallel::Shard& shard, std::span<float> weights, std::span<const float> gradient,
            double factor) override;
  void play(std::int64_t until);
  void open_epoch();
  void close_epoch();
  Pace pace(int node, double factor);
  std::int64_t step_of(int node) const;
  std::int64_t batches_of(std::int64_t step) const;
  Pace scaled(int node, const Pace& pace);
  double factor_now() const;
  void note_norm(int node);
  void show(const std::vector<float>& weights);

  parallel::ClusterConfig machines_;
  nn::Streams streams_;
  Shared shared_;
  std::unique_ptr<parallel::Algorithm<float>> algorithm_;
  parallel::Gang gang_;
  parallel::Members<float> members_;
  std::vector<std::unique_ptr<WeightSteps>> steps_;           ///< by node
  std::vector<std::int64_t> counts_;                          ///< optimiser's steps, by node
  std::unique_ptr<parallel::VirtualCluster<float>> cluster_;  ///< while an epoch is under way
  std::vector<std::int64_t> batches_;                         ///< number of the last one in the epoch, by rank
  std::int64_t first_step_ = 0;                               ///< step of the schedule at which the epoch begins
  double seconds_ = 0, bytes_ = 0;
  std::vector<double> squares_;  ///< means over the ranks, for the next steps by their mean gradient
  std::int64_t observed_ = 0;    ///< optimiser's steps that the learning rate's gains have seen
  std::function<void()> tick_;
  bool has_norm_ = false;         ///< norms of gradients are measured
  std::vector<double> norms_;     ///< last ones, by node
  double norm_ = 0;               ///< norm of the last one by which a rank or the server moved
  double loss_ = 0, weight_ = 0;  ///< sums since step() was called
};

/// Virtual time and traffic of all epochs so far; none without ranks.
std::vector<trial::Metric> metrics_of(const Ranks* ranks);

}  // namespace dlrun::train
