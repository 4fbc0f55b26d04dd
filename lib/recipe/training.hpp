// SPDX-License-Identifier: Apache-2.0
// Settings of a training beside its optimiser, schedule, loss and outputs: its length, its batches, what is done to
// gradients and weights, and when it stops.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "options/key.hpp"

namespace dlrun::recipe {

/// Ends a training that gets no better.
struct StopConfig {
  std::int64_t patience = 0;  ///< epochs without progress that are forgiven
  double min_delta = 0;       ///< progress is more than this
  std::string metric;         ///< "val.loss"
  bool maximize = false;
};

struct TrainingConfig {
  std::int64_t epochs = 10;      ///< the trial's whole length; a piece may be shorter
  std::int64_t horizon = 0;      ///< epochs that the schedule spans, if the trial begins a longer one; 0: its length
  std::int64_t batch_size = 32;  ///< examples
  std::int64_t accumulate = 1;   ///< batches whose gradients make one step, as one large batch would
  std::string precision = "fp32";
  std::optional<double> ema;  ///< decay of the averaged weights that are measured in place of the last ones
  std::optional<StopConfig> stop;
  std::optional<double> clip_norm, clip_value;  ///< if both are set, values are clipped first
  std::int64_t log_every = 0;                   ///< steps between two points of the curves, 0: none; no part in any bit

  std::int64_t span() const { return horizon > 0 ? horizon : epochs; }
};

/// The key of one setting, by its name.
const options::Key& training_key(const std::string& name);

/// @param has_val  whether there is a validation split, which `stop` watches by default
/// @throws Error(usage) for a value out of its range, naming its place
TrainingConfig read_training(const Json& trial, bool has_val);

}  // namespace dlrun::recipe
