// SPDX-License-Identifier: Apache-2.0
// Several ranks that train one model together: played by this process in virtual time (lib/parallel), or processes of
// which this is one (lib/gang).
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gang/collective.hpp"
#include "parallel/virtual_cluster.hpp"
#include "train/gang_exchange.hpp"
#include "train/gang_records.hpp"
#include "train/gang_states.hpp"
#include "train/rank_costs.hpp"
#include "train/seating.hpp"
#include "train/step_facts.hpp"
#include "util/temporary_folder.hpp"

namespace dlrun::train {

/// Callbacks; each may throw, and then nothing more can be done with the ranks.
struct Pulse {
  std::function<void()> batch = {};  ///< before every batch of this process
  std::function<void()> wait = {};   ///< now and then while others are waited for
};

/// Every rank has weights and an optimiser's state of its own. In virtual time the model's running statistics are one
/// set, over the batches of all; processes have a set each, and take their mean at the end of an epoch. There all is at
/// rest, and the first process has all states, and the model that the algorithm trains.
class Ranks final : private parallel::Learner<float> {
 public:
  /// @param shared, place  lent for as long as this lives; without a place this process plays all ranks
  Ranks(const Config& config, const nn::Streams& streams, const Shared& shared, gang::Place* place = nullptr);
  ~Ranks() override;

  /// All begin with the network's weights.
  void begin();
  /// Whether they might measure something else if they began again.
  bool races() const { return place_ != nullptr && (is_elastic_ || !algorithm_->is_synchronous()); }
  /// Records of epochs, which this process plays once more.
  GangRecords& records() { return records_; }
  /// Plays until as many batches as there are ranks have been computed, and to the end of the epoch after the last.
  /// @param with_norm  measure the norm of the last gradient by which a node moved, before clipping
  /// @throws Diverged; gang::PeerLost, gang::Fault of other processes.
  StepFacts step(bool with_norm, const Pulse& pulse);
  /// An epoch of a process that is not the first.
  /// @param begin  from the first process; the states after the epoch, or where another process is lost, go there
  void follow(const gang::Packet& begin);
  /// Likewise between two epochs: the first process wants the states again.
  void give_again(const gang::Packet& regroup);

  /// Virtual seconds of all epochs so far; nullopt: processes take their time. And bytes that were sent.
  std::optional<double> seconds() const;
  double bytes() const { return bytes_; }
  /// Gradients so far that came too late for their rounds; nullopt: rounds wait for all.
  std::optional<std::int64_t> dropped() const;
  /// Ranks lost so far; nullopt: processes are, or the cluster's description has no losses.
  std::optional<std::int64_t> lost() const;
  /// Cost of the last epoch for each process, in words for the trial's log; in virtual time its losses alone.
  std::string cost_text() const;
  /// The same in numbers, in virtual time too.
  trial::GangReport report() const;

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
  bool keeps(int node) const;
  void play(std::int64_t until);
  void play_on(std::int64_t until);
  bool may_lose(int process) const;
  void go_on_without(int process);
  void await_lost();
  /// In virtual time, on_loss: restart: passes the attempts at the epoch that losses end.
  void begin_again();
  parallel::VirtualCluster<float>::Options virtual_options() const;
  std::string run_name() const;
  void note_update();
  void open_epoch();
  void begin_part();
  void end_part();
  /// Each rank has examples of its own, in the deal of the epoch under way.
  bool has_lists() const { return shared_.batches.partition() != nullptr; }
  bool collects() const;
  void begin_partition(const Json& begin);
  void close_epoch();
  std::unique_ptr<parallel::Backend> make_cluster();
  std::string sums_folder();
  void open_sums(const std::string& folder);
  bool is_recording() const;
  void add_bytes();
  std::int64_t round(int node) const;
  Pace pace(int node, std::int64_t step, double factor);
  std::int64_t batches_of(std::int64_t step) const;
  Pace scaled(std::int64_t step, const Pace& pace);
  double factor_now() const;
  void note_norm(int node);
  void show(const std::vector<float>& weights);
  void collect();

  parallel::ClusterConfig machines_;
  parallel::Method method_;
  nn::Streams streams_;
  Shared shared_;
  std::unique_ptr<parallel::Algorithm<float>> algorithm_;
  parallel::Gang gang_;
  parallel::Gang timed_;  ///< the same without numbers
  GangStates states_;
  Seating seating_{*algorithm_, gang_, states_};
  std::vector<std::int64_t> counts_before_;  ///< optimiser's steps when the epoch began
  gang::Place* place_;                       ///< nullptr: this process plays all ranks
  std::vector<at::Tensor> frozen_;           ///< gradients of tensors that are not trained, which a rank sends as zeros
  GangRecords records_;
  std::optional<OwnParts> own_parts_;           ///< parts of each rank, in a replay
  std::optional<GangExchange> exchange_;        ///< with the others, if there are any
  std::optional<TemporaryFolder> meeting_;      ///< the first process's, where all find each other for sums_
  std::unique_ptr<gang::Collective> sums_;      ///< by another library, if it is to sum
  std::unique_ptr<parallel::Backend> cluster_;  ///< while an epoch is under way
  std::vector<std::int64_t> batches_;           ///< number of the last one in the epoch, by rank
  parallel::Deal deal_;                         ///< batches of the epoch under way
  std::int64_t first_step_ = 0;                 ///< step of the schedule at which the epoch begins
  std::int64_t first_batch_ = 0;                ///< batches before the part of the epoch that is under way
  double seconds_ = 0, bytes_ = 0;
  double back_at_ = 0;                            ///< virtual time at which all lost ranks are back
  std::int64_t lost_ = 0;                         ///< ranks, so far
  std::vector<double> squares_;                   ///< means over the ranks, for the next steps by their mean gradient
  std::int64_t observed_ = 0;                     ///< optimiser's steps that the learning rate's gains have seen
  RankCosts costs_;                               ///< the last epoch's
  bool has_computed_ = false;                     ///< a gradient in the part of an epoch that ended last
  std::string losses_;                            ///< processes lost in the last epoch, in words
  std::chrono::steady_clock::time_point opened_;  ///< when the epoch began
  double elapsed_ = 0;                            ///< seconds from there until all states were here again
  Pulse pulse_;
  std::optional<std::chrono::steady_clock::time_point> lost_at_;  ///< a process, and no update since
  std::int64_t gradients_since_loss_ = 0;
  bool is_elastic_ = false;       ///< a rank's process may be lost
  bool has_norm_ = false;         ///< norms of gradients are measured
  std::vector<double> norms_;     ///< last ones, by node
  double norm_ = 0;               ///< norm of the last one by which a rank or the server moved
  double loss_ = 0, weight_ = 0;  ///< sums since step() was called
  std::int64_t examples_ = 0;     ///< likewise
};

/// Seconds of a simulated step of a placed model; of ranks virtual time and traffic of all epochs so far.
/// @param ranks  nullptr: one machine
std::vector<trial::Metric> metrics_of(const Network& network, const Ranks* ranks);

}  // namespace dlrun::train
