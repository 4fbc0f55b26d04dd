// SPDX-License-Identifier: Apache-2.0
// Curves by optimiser step, where the trial's `log: {every: N}` asks for them.
#pragma once
#include <chrono>
#include <cstdint>

#include "trial/runner.hpp"

namespace dlrun::train {

class Training;

/// Told of every step of a piece; says something at every step number divisible by `every`: train.loss (of the batch),
/// lr, lr.gain (mean gain, with lr_scaling by gains), grad_norm (before clipping), weight_norm (after the step),
/// samples_per_second (since the last time it spoke or the epoch began) and memory (resident bytes). Costs two
/// comparisons at all other steps. What it says is telemetry: in no result and no checkpoint, so that a log changes no
/// bit of a training.
class StepLog {
 public:
  /// @param every  0: never
  StepLog(std::int64_t every, trial::Host& host) : every_(every), host_(host) {}

  /// Training follows: the time until now, for measuring and saving, does not count in its speed.
  void begin_epoch();
  /// Will the step after `done` steps be told of? Its gradient's norm is needed then.
  bool is_due(std::int64_t done) const { return every_ > 0 && (done + 1) % every_ == 0; }
  /// A step was taken.
  void note(const Training& training);

 private:
  using Clock = std::chrono::steady_clock;
  void tell(const Training& training);

  std::int64_t every_;
  trial::Host& host_;
  Clock::time_point since_;
  std::int64_t samples_ = 0;
};

}  // namespace dlrun::train
