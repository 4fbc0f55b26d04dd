// SPDX-License-Identifier: Apache-2.0
// The learning rate over a trial.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>

#include "recipe/averaging.hpp"
#include "recipe/schedule_config.hpp"
#include "trial/trial.hpp"

namespace dlrun::recipe {

using trial::Report;

/// ReduceLROnPlateau: the rate falls by `factor` once a metric has not become better for more than `patience` epochs.
/// Its state is a function of the reports so far.
class Plateau {
 public:
  Plateau(const ScheduleConfig& config, double lr);
  /// @throws Error(usage) where the report has no such metric.
  void observe(const Report& report);
  double lr() const { return lr_; }

 private:
  bool is_better(double value) const;

  ScheduleConfig config_;
  double lr_;
  double best_;
  std::int64_t bad_ = 0, cooling_ = 0;  ///< epochs without progress; epochs in which they do not count
};

/// A pure function of the step (and, for `plateau`, of the reports), so nothing needs to be saved. Spans the trial's
/// whole length, whatever its pieces. Formulas are those of torch.optim.lr_scheduler; what falls in steps goes by whole
/// epochs, smooth curves go by optimiser steps and stay at their end. The warm-up multiplies the rate by w + (1 - w)
/// (t + 1) / n in step t of n, w = warmup_from (exponential: w^(1 - (t + 1) / n), constant: w); smooth curves begin at
/// its end.
class Schedule {
 public:
  Schedule(const ScheduleConfig& config, double lr, std::int64_t epochs, std::int64_t steps_per_epoch);
  /// The averaged part of a training leaves the curve where it is and goes from there to a rate of its own within some
  /// epochs (torch.optim.swa_utils.SWALR, stepped before each of them).
  void end_in(const SwaConfig& swa);
  /// The first step is taken where this share of the curve is over, without a warm-up; the rest of it spans the whole
  /// training, so that drops and cycles come later in proportion.
  void begin_at(double share);

  /// @param step  optimiser steps taken before this one, from 0
  double lr(std::int64_t step) const;
  /// Where the schedule moves it: the momentum of the step.
  std::optional<double> momentum(std::int64_t step) const;
  /// An epoch has ended. To be called for every report in order, also after a restore.
  void observe(const Report& report);
  /// Forgets what was observed.
  void reset();

 private:
  /// A curve and where it stands.
  struct Place {
    const ScheduleConfig* config;
    double step;         ///< step of the curve, from 0; between two of them where the curve is drawn out
    std::int64_t total;  ///< steps the curve spans
  };
  double step_of_curve(std::int64_t step) const;
  Place place_of(double step) const;
  double value(const Place& place) const;
  double warming(std::int64_t step) const;
  double curve(std::int64_t step) const;

  ScheduleConfig config_;
  double lr_;
  std::int64_t steps_per_epoch_, total_, warmup_;
  std::optional<double> begin_;  ///< share of the curve before the first step
  std::optional<Plateau> plateau_;
  std::optional<SwaConfig> swa_;  ///< with a rate
};

}  // namespace dlrun::recipe
