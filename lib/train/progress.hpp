// SPDX-License-Identifier: Apache-2.0
// Position of a training, and its consequences: the next step's rate, the best epoch, the end.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "recipe/schedule.hpp"
#include "train/checkpoint.hpp"
#include "train/config.hpp"

namespace dlrun::train {

/// The loss of a batch or a split was NaN or infinite.
struct Diverged {
  std::int64_t epoch;  ///< from 1
  std::int64_t step;   ///< optimiser steps taken before
  std::string what;    ///< "train.loss is nan"
};

/// "training diverged: train.loss is nan in epoch 2, step 7"
std::string words_of(const Diverged& end);

/// The metric that a study optimises.
struct Objective {
  std::string metric;
  bool maximize = false;
  bool keeps_best = false;

  /// Better, not equal.
  bool is_better(double value, double than) const { return maximize ? value > than : value < than; }
  /// @throws Error(usage) naming the measured metrics, if this one is not among them
  double value_in(const trial::Report& report) const;
};

/// The counters of one training, its schedule and the reports of its epochs. Knows no tensor.
/// The rates, the best epoch and the end are functions of the reports, so a restored training goes on alike.
class Progress {
 public:
  /// @param batches  of an epoch
  /// @param fresh    sums of an epoch that has not begun
  /// @param steps    of an epoch; 0: as many as the batches make
  Progress(const Config& config, Objective objective, std::int64_t batches, SplitSums fresh, std::int64_t steps = 0);

  const State& state() const { return state_; }
  const Objective& objective() const { return objective_; }
  const recipe::Schedule& schedule() const { return schedule_; }
  const SplitSums& fresh_sums() const { return fresh_; }
  std::int64_t steps_per_epoch() const { return steps_per_epoch_; }
  /// Steps of the epoch under way that its batches so far make.
  std::int64_t steps_so_far() const;

  /// False when the epoch's batches are done.
  bool has_batch() const { return state_.batch < batches_; }
  /// Whether the batches so far make a step.
  bool is_step_full() const { return state_.batch % accumulate_ == 0 || !has_batch(); }
  /// Batches that are missing until a step is full.
  std::int64_t batches_to_step() const;
  /// Passes before the next one, in all epochs: dropout's counter.
  std::int64_t passes() const { return state_.epoch * batches_ + state_.batch; }
  /// Optimiser steps that were taken, carried ones too.
  std::int64_t optimizer_steps() const { return state_.step - state_.skipped + state_.carried; }
  /// The next step's. The optimiser counts the steps it took, the schedule all of them.
  Pace pace() const;

  /// The sums of the epoch under way, in which the next batch counts.
  SplitSums& sums();
  /// nullptr: gradients are not scaled.
  LossScale* loss_scale() { return state_.loss_scale ? &*state_.loss_scale : nullptr; }
  void note_batch() { ++state_.batch; }
  /// So many batches of the epoch under way are done.
  void note_batches(std::int64_t count) { state_.batch = count; }
  void note_step(bool is_skipped);
  /// @param val      sums of the validation split
  /// @param has_val  whether it has examples
  /// @param more     metrics that follow in the report
  /// @throws Diverged, nothing changed; Error(usage) if the objective is not measured
  trial::Report close_epoch(const SplitSums& val, bool has_val, const std::vector<trial::Metric>& more = {});
  /// Whether patience is at its end.
  bool has_stopped() const;
  Diverged diverged(std::string what) const { return {state_.epoch + 1, state_.step, std::move(what)}; }

  /// Goes on from a state, with the loss scale only if this training has one.
  void restore(State state);
  /// Stands at the end of `epoch`, of which nothing is known but that the optimiser took `steps` steps.
  void stand_at(std::int64_t epoch, std::int64_t steps);
  void note_start(std::optional<trial::WeightStart> start) { state_.start = std::move(start); }
  /// In place of the best epoch that was restored with a state.
  void set_best(std::optional<Best> best) { state_.best = std::move(best); }
  /// Notes where the best epoch's checkpoint was published.
  void set_best_artifact(const trial::Artifact& artifact);

 private:
  void note_best(const trial::Report& report);

  Objective objective_;
  std::optional<StopConfig> stop_;
  std::int64_t batches_, accumulate_, steps_per_epoch_;
  bool is_scaled_;  ///< the loss, for float16
  SplitSums fresh_;
  recipe::Schedule schedule_;
  State state_;
};

}  // namespace dlrun::train
