// SPDX-License-Identifier: Apache-2.0
// One member in memory: model, optimiser, data and position. Knows no file and no worker.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "tensors/row_values.hpp"
#include "train/accumulation.hpp"
#include "train/averaging.hpp"
#include "train/epoch_batches.hpp"
#include "train/evaluation.hpp"
#include "train/lr_scaling.hpp"
#include "train/network.hpp"
#include "train/progress.hpp"
#include "train/ranks.hpp"
#include "train/step_clock.hpp"
#include "train/step_facts.hpp"
#include "train/weight_steps.hpp"
#include "train/weights.hpp"

namespace dlrun::train {

/// Relation of a training to the checkpoint that it restores, and how much of it is kept.
enum class Origin {
  own,        ///< the training's own checkpoint: nothing changes
  alike,      ///< another trial's of this seed, replicate and model; prefix() says whether this one would have done it
  inherited,  ///< likewise, under this one's settings: the best epoch stays with the other
  any,        ///< any training's of this optimiser and these shapes: weights, optimiser state and position alone
};

/// Trains epoch by epoch:
///   while (t.state().epoch < end) { while (t.has_batch()) t.step(); t.finish_epoch(…); }
/// Interruptions and cuts into pieces make no difference to any bit of it.
///
/// Network, WeightSteps, Accumulation, LrScaling, Averaging, EpochBatches and Progress each know one idea and none of
/// the others; the order in which they act is here.
class Training {
 public:
  /// @param graph  built for the data's shapes
  /// @param place  of this process among those of its ranks; lent. nullptr: it is alone
  Training(const Config& config, const model::Graph& graph, std::shared_ptr<const data::Data> data, nn::Streams streams,
           Objective objective, const Placement& placement = {}, gang::Place* place = nullptr);

  const Config& config() const { return config_; }
  const data::Data& data() const { return *data_; }
  const State& state() const { return progress_.state(); }
  const Network& network() const { return network_; }
  Progress& progress() { return progress_; }

  /// False when the epoch's batches are done and finish_epoch is next.
  bool has_batch() const { return progress_.has_batch(); }
  /// One optimiser step. @throws Diverged.
  /// @param with_norm  measure the gradient's norm too, for last_step()
  /// @param pulse      of a gang: if it throws, the training is of no more use
  void step(bool with_norm = false, const Pulse& pulse = {});
  /// An epoch of a process that is not the first of its gang (Ranks::follow).
  void follow(const gang::Packet& word);
  const StepFacts& last_step() const { return facts_; }
  /// Examples of each rank; nullptr: there is no partition.
  Partition* partition() { return batches_.partition(); }
  /// False: it might measure something else if it began again.
  bool repeats() const { return !ranks_ || !ranks_->races(); }
  /// Records of ranks; nullptr: there are none.
  GangRecords* records() { return ranks_ ? &ranks_->records() : nullptr; }
  /// Cost of the last epoch for the processes of a gang, in words; empty where there are none.
  std::string gang_text() const { return ranks_ ? ranks_->cost_text() : std::string(); }
  /// The same in numbers; nullopt: one machine trains alone.
  std::optional<trial::GangReport> gang_report() const {
    return ranks_ ? std::optional(ranks_->report()) : std::nullopt;
  }
  /// Names of the tensors that the optimiser moves and whose gradient is zero everywhere after the last step.
  std::vector<std::string> without_gradient() const;
  /// For a profile: every step from now on writes there where its time went; nullptr, nullptr: no more.
  void measure_into(StepClock* clock, std::vector<nn::LayerCost>* costs);

  /// Measures the validation split, closes the epoch and returns its report. `tick` is called after every batch and may
  /// throw: the state is then as before. @throws Diverged.
  template <class Tick>
  trial::Report finish_epoch(Tick&& tick) {
    if (take_epoch_average()) {
      const Exchanged averaged(network_, averaging_.in_use(state().epoch));
      renew_statistics(batches_.count(), tick);
    }
    trial::Report report =
        progress_.close_epoch(measure(data_->val(), tick), data_->val().size() > 0, metrics_of(network_, ranks_.get()));
    averaging_.keep_epoch();
    return report;
  }
  /// {split}.loss and the metrics over a split that training never changes by.
  template <class Tick>
  SplitSums measure(const data::Measured& examples, Tick&& tick) {
    SplitSums sums(config_.outputs, data_->schema(), false);
    evaluation().add_to(sums, examples, tick);
    return sums;
  }
  /// A number for each validation example, the mean of which is one of the metrics of the validation split.
  /// @param metric  "val.accuracy". REQUIRES: recipe::has_example_values
  tensors::RowValues values_of_val(const std::string& metric, const std::function<void()>& tick);
  /// The model as it is measured: with the averaged weights, if there are any by now.
  Evaluation evaluation() { return {network_, heads_, averaging_.in_use(state().epoch)}; }

  /// False while ranks are between two ends of epochs: there is nothing to encode then.
  bool is_at_rest() const { return !ranks_ || state().batch == 0 || !has_batch(); }
  /// The whole state as a file's bytes. REQUIRES: at rest. May be asked for while the average is measured.
  std::string encode();
  /// @throws Error(store), nothing changed.
  void restore(const SafeTensors& file, const std::string& what, Origin origin = Origin::own);
  /// A hash of all that the state follows from so far (train::prefix).
  std::string prefix() const;

  /// Sets the weights that `init` names, before the first step. @throws Error: the file, or a tensor that does not fit.
  void load_initial();
  /// Takes the numbers that were written into network().parameters() for the weights.
  void set_weights();
  /// Fresh weights of the same model that are independent of those it began with, as of a replicate that no study has.
  Weights drawn_apart() const;
  /// Stands at the end of `epoch`, of which nothing is known but that the optimiser took `steps` steps.
  void stand_at(std::int64_t epoch, std::int64_t steps);
  /// Makes running statistics anew, over the first `count` batches of the epoch to come; 0: as of a new model.
  template <class Tick>
  void recalibrate(std::int64_t count, Tick&& tick) {
    renew_statistics(std::min(count, batches_.count()), tick);
    network_.fetch_buffers();
  }

 private:
  void pass_step();
  void pass_together();
  void pass();
  Measured loss_of(const std::vector<at::Tensor>& outputs, const data::Examples& batch, std::vector<at::Tensor>& grads);
  void add_to_step(const at::Tensor& grads, const Measured& loss, std::int64_t examples);
  bool unscale();
  void scale(Pace& pace);
  /// Takes the epoch's weights into the average, if swa averages them. @return whether statistics are to be renewed
  bool take_epoch_average();
  /// Over the first batches of the epoch once more, as torch.optim.swa_utils.update_bn would.
  template <class Tick>
  void renew_statistics(std::int64_t count, Tick&& tick) {
    network_.reset_statistics();
    for (std::int64_t batch = 0; batch < count; ++batch) {
      batches_.begin(state().epoch + 1);
      const data::Examples examples = batches_.batch(batch);
      if (examples.size() == 0) continue;
      network_.add_statistics(examples, state().epoch * batches_.count() + batch);
      tick();
    }
  }
  /// @param average  on the CPU
  Kept kept(const Average& average) const;

  Config config_;
  std::shared_ptr<const data::Data> data_;
  Identity identity_;
  Network network_;
  EpochBatches batches_;
  Heads heads_;
  WeightSteps steps_;
  Accumulation accumulation_;
  Averaging averaging_;
  Progress progress_;
  std::optional<LrScaling> scaling_;
  std::unique_ptr<Ranks> ranks_;  ///< nullptr: one machine
  StepFacts facts_;
  StepClock* clock_ = nullptr;
};

}  // namespace dlrun::train
