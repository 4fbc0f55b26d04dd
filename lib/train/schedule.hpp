// SPDX-License-Identifier: Apache-2.0
// The learning rate over a trial.
#pragma once
#include <cstdint>

#include "train/config.hpp"

namespace dlrun::train {

/// A pure function of the step, so nothing needs to be saved. Spans the trial's whole length, whatever its pieces.
///
/// constant: lr. step: lr * gamma^floor(epoch / every). cosine (Loshchilov, Hutter, ICLR 2017, without restarts):
/// from lr at the end of the warm-up to min_lr at the end of the trial, step by step. The warm-up rises linearly:
/// step t of w gets (t + 1) / w of the rate.
class Schedule {
 public:
  Schedule(const ScheduleConfig& config, double lr, std::int64_t epochs, std::int64_t steps_per_epoch);

  /// @param step  optimiser steps taken before this one, from 0
  double lr(std::int64_t step) const;

 private:
  double decayed(std::int64_t step) const;

  ScheduleConfig config_;
  double lr_;
  std::int64_t steps_per_epoch_, total_, warmup_;
};

}  // namespace dlrun::train
