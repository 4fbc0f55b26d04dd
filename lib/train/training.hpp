// SPDX-License-Identifier: Apache-2.0
// One member in memory: model, optimiser, data and how far it is. Knows no file and no worker.
#pragma once
#include <algorithm>
#include <memory>
#include <string>

#include "data/batches.hpp"
#include "dataset/fresh.hpp"
#include "nn/graph_module.hpp"
#include "recipe/rates.hpp"
#include "recipe/schedule.hpp"
#include "train/checkpoint.hpp"
#include "train/config.hpp"
#include "train/device_steps.hpp"
#include "train/feed.hpp"
#include "train/heads.hpp"
#include "train/host_copy.hpp"
#include "train/optimizer.hpp"
#include "train/patience.hpp"
#include "train/statistics.hpp"
#include "train/step_clock.hpp"

namespace dlrun::train {

using recipe::Schedule;

/// The loss of a batch or a split was NaN or infinite.
struct Diverged {
  std::int64_t epoch;  ///< from 1
  std::int64_t step;   ///< optimiser steps taken before
  std::string what;    ///< "train.loss is nan"
};

/// What is known of a step once it is done.
struct StepFacts {
  double loss = 0;
  double lr = 0;
  double grad_norm = 0;  ///< of all that is trained, before clipping; where it was asked for
  std::int64_t examples = 0;
  double loss_scale = 0;    ///< it was taken with; float16 only
  bool is_skipped = false;  ///< left out, for its gradients were not finite
};

/// Where the model is computed.
struct Placement {
  at::Device device = at::kCPU;
  bool has_host_copy = !device.is_cpu();  ///< true on the CPU: as if it were elsewhere, for tests
  bool takes_steps = has_host_copy;       ///< there, where there are kernels for the optimiser; else on the CPU
};

struct Objective {
  std::string metric;
  bool maximize = false;
  bool keeps_best = false;
};

/// Trains epoch by epoch:
///   while (t.state().epoch < end) { while (t.has_batch()) t.step(); t.finish_epoch(…); }
/// Where it is interrupted or cut into pieces makes no difference to any bit of it.
class Training {
 public:
  /// @param graph  built for the data's shapes
  Training(const Config& config, const model::Graph& graph, std::shared_ptr<const data::Data> data, nn::Streams streams,
           Objective objective, const Placement& placement = {});

  const State& state() const { return state_; }
  const Config& config() const { return config_; }
  const data::Data& data() const { return *data_; }
  const model::Graph& graph() const { return graph_; }
  /// On the CPU; the weights are always those of the last step.
  const nn::Parameters& parameters() const;
  double weight_norm() const;  ///< Euclidean, of all trainable tensors
  /// Names of the tensors that the optimiser moves and whose gradient is zero everywhere after the last step.
  std::vector<std::string> without_gradient() const;

  /// False where the epoch's batches are done and finish_epoch is next.
  bool has_batch() const { return state_.batch < batches_.count(); }
  /// One optimiser step. @throws Diverged.
  /// @param with_norm  measure the gradient's norm too, for last_step()
  void step(bool with_norm = false);
  const StepFacts& last_step() const { return facts_; }
  /// For a profile: every step from now on writes there where its time went; nullptr, nullptr: no more.
  void measure_into(StepClock* clock, std::vector<nn::LayerCost>* costs) {
    clock_ = clock;
    module_.measure_into(costs);
  }
  /// Measures the validation split, closes the epoch and returns its report. `tick` is called after every batch and may
  /// throw: the state is then as before. @throws Diverged.
  template <class Tick>
  trial::Report finish_epoch(Tick&& tick) {
    if (average_epoch()) renew_statistics(tick);
    return close_epoch(measure(data_->val(), tick));
  }
  /// {split}.loss and the metrics over a split that training never changes by.
  template <class Tick>
  SplitSums measure(const data::Measured& examples, Tick&& tick) {
    return measure(examples, config_.outputs, tick);
  }
  /// The same with other metrics. @param outputs  config().outputs but for their metrics
  template <class Tick>
  SplitSums measure(const data::Measured& examples, const std::vector<OutputConfig>& outputs, Tick&& tick) {
    SplitSums sums = sums_of(outputs);
    measure_into(sums, examples, tick);
    return sums;
  }
  SplitSums sums_of(const std::vector<OutputConfig>& outputs) const { return {outputs, data_->schema(), false}; }
  /// Adds a part of the examples. All parts but the last have a multiple of dataset::kFreshRows of them.
  template <class Tick>
  void measure_into(SplitSums& sums, const data::Measured& examples, Tick&& tick) {
    const Swapped averaged(*this, average_in_use());
    for (std::int64_t begin = 0; begin < examples.size(); begin += kMeasuredAtOnce) {
      measure_batch(examples, begin, sums);
      tick();
    }
  }

  /// What the outputs foretell (Heads::predictions), part by part in the order of the examples; nothing is changed.
  template <class Take>
  void foretell(const data::Measured& examples, Take&& take) {
    const Swapped averaged(*this, average_in_use());
    for (std::int64_t begin = 0; begin < examples.size(); begin += kMeasuredAtOnce)
      take(heads_.predictions(forward(part_of(examples, begin))));
  }

  /// Whether patience is at its end.
  bool has_stopped() const { return config_.stop && is_exhausted(*config_.stop, state_.reports); }
  /// The whole state as a file's bytes.
  std::string encode() const;
  /// @throws Error(store), nothing changed.
  void restore(const SafeTensors& file, const std::string& what);
  /// Takes over another trial's weights and optimiser state under this one's settings; its best epoch stays with it.
  /// @throws Error(store), nothing changed: another replicate, optimiser or shape.
  void inherit(const SafeTensors& file, const std::string& what);
  /// Takes over what another trial of this seed, replicate and model trained, its reports and best epoch too. Whether
  /// it is what this one would have done, prefix() says. @throws Error(store), nothing changed.
  void adopt(const SafeTensors& file, const std::string& what);
  /// A hash of all that the state follows from so far, the rates of every step as they were: equal prefixes, equal
  /// states, to the bit.
  std::string prefix() const;
  /// Takes over another training's weights, optimiser state and position, whatever its settings, seed and replicate.
  /// @throws Error(store), nothing changed: another optimiser or shape.
  void take_over(const SafeTensors& file, const std::string& what);
  /// Stands at the end of `epoch`, of which nothing is known but that the optimiser took `steps` steps.
  void stand_at(std::int64_t epoch, std::int64_t steps);
  /// Optimiser steps that were taken, carried ones too.
  std::int64_t optimizer_steps() const { return state_.step - state_.skipped + state_.carried; }
  /// What the settings would be called without `warm_start`: a checkpoint of that name is continued to the bit.
  std::string cold_fingerprint() const;
  const Objective& objective() const { return objective_; }
  bool has_statistics() const { return has_batch_norm(graph_); }
  /// Takes what was written into parameters() for the weights.
  void set_weights();
  /// Running statistics anew, over the first `count` batches of the epoch to come.
  template <class Tick>
  void recalibrate(std::int64_t count, Tick&& tick) {
    reset_statistics(graph_, module_.parameters());
    for (std::int64_t batch = 0; batch < std::min(count, batches_.count()); ++batch) {
      renew(batch);
      tick();
    }
    host_.fetch_buffers();
  }
  void reset_buffers();
  void note_start(trial::WeightStart start) { state_.start = std::move(start); }
  /// Sets the weights that `init` names, before the first step. @throws Error: the file, or a tensor that does not fit.
  void load_initial();
  /// Notes where the best epoch's checkpoint was published.
  void set_best_artifact(const trial::Artifact& artifact);
  /// In place of what was adopted with a state.
  void set_best(std::optional<Best> best) { state_.best = std::move(best); }

 private:
  void restore(const SafeTensors& file, const std::string& what, const Identity& identity);
  static constexpr std::int64_t kMeasuredAtOnce = dataset::kFreshRows;  // examples; part of the bits

  /// Forward and backward of the next batch; its gradients are added up where several make a step.
  Measured pass();
  void finish_gradients(double weight);
  /// float16: takes the loss scale off again and moves it. @return whether the step may be taken.  @throws Diverged.
  bool unscale();
  void zero_frozen() {
    for (at::Tensor& grad : frozen_) grad.zero_();
  }
  /// Moves the weights by the gradients.
  void take_step();
  void move_weights(const Pace& pace);
  /// An average of the weights in their place while this lives; nullptr: nothing is done.
  class Swapped {
   public:
    Swapped(const Training& training, Average* average) : training_(training), average_(average) { swap(); }
    ~Swapped() { swap(); }
    Swapped(const Swapped&) = delete;
    Swapped& operator=(const Swapped&) = delete;

   private:
    void swap() const {
      if (average_ == nullptr) return;
      training_.exchange(*average_);
      training_.swapped_ = training_.swapped_ == nullptr ? average_ : nullptr;
    }

    const Training& training_;
    Average* average_;
  };
  /// The weights become the average's, and the average's the weights.
  void exchange(Average& average) const;
  /// Where the optimiser works: on the device, or on the CPU.
  const nn::Parameters& moved() const { return there_ ? module_.parameters() : host_.parameters(); }
  /// What is measured in place of the weights; nullptr: they are.
  Average* average_in_use();
  /// Takes the epoch's weights into next_ where it is one of those that swa averages.
  /// @return whether its statistics are to be renewed
  bool average_epoch();
  /// Over the epoch's batches once more, as torch.optim.swa_utils.update_bn would.
  template <class Tick>
  void renew_statistics(Tick&& tick) {
    const Swapped averaged(*this, &*next_);
    reset_statistics(graph_, module_.parameters());
    for (std::int64_t batch = 0; batch < batches_.count(); ++batch) {
      renew(batch);
      tick();
    }
  }
  void renew(std::int64_t batch);
  /// @param average  on the CPU
  Kept kept(const Average& average) const;
  void begin_epoch();
  void clip();
  double grad_norm();
  void end_of(Phase phase) {
    if (clock_ != nullptr) clock_->end_of(phase);
  }
  std::int64_t steps_per_epoch() const { return recipe::steps_of(batches_.count(), config_.accumulate); }
  SplitSums fresh_sums() const { return {config_.outputs, data_->schema(), true}; }
  void measure_batch(const data::Measured& examples, std::int64_t begin, SplitSums& sums);
  static data::Examples part_of(const data::Measured& examples, std::int64_t begin) {
    return examples.part(begin, std::min(kMeasuredAtOnce, examples.size() - begin));
  }
  /// Outputs of an evaluation pass, on the CPU; undefined: an auxiliary one.
  std::vector<at::Tensor> forward(const data::Examples& part);
  trial::Report close_epoch(const SplitSums& val);
  void note_best(const trial::Report& report);
  [[noreturn]] void diverge(const std::string& split, double loss) const;

  Config config_;
  model::Graph graph_;
  std::shared_ptr<const data::Data> data_;
  Objective objective_;
  Identity identity_;
  Placement placement_;
  nn::GraphModule module_;
  HostCopy host_;
  data::Batches batches_;
  Feed feed_;
  Heads heads_;
  std::unique_ptr<Optimizer> optimizer_;
  std::optional<DeviceSteps> there_;  ///< takes the steps in its place
  mutable bool is_host_old_ = false;  ///< weights moved on the device since they were fetched
  std::vector<at::Tensor> frozen_;    ///< gradients of what is not trained
  Schedule schedule_;
  at::Tensor sum_of_grads_;      ///< [n] float32, of the passes of a step, where there are several; 0 between steps
  Average average_;              ///< of ema or swa
  std::optional<Average> next_;  ///< swa: with the weights of the epoch that is being closed
  mutable Average* swapped_ = nullptr;  ///< has the weights while the model has its numbers
  State state_;
  StepFacts facts_;
  StepClock* clock_ = nullptr;
  std::int64_t shuffled_ = 0;  ///< the epoch whose order batches_ holds
};

}  // namespace dlrun::train
