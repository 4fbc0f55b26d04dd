// SPDX-License-Identifier: Apache-2.0
// The training half of a trial's configuration, read once from its normal form (keys: docs/trial-keys.md).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/dataset.hpp"
#include "nn/precision.hpp"
#include "recipe/averaging.hpp"
#include "recipe/optimizer.hpp"
#include "recipe/outputs.hpp"
#include "recipe/schedule_config.hpp"
#include "util/json.hpp"
#include "warmstart/settings.hpp"

namespace dlrun::train {

using recipe::GroupConfig;
using recipe::LossConfig;
using recipe::OptimizerConfig;
using recipe::OutputConfig;
using recipe::ScheduleConfig;
using recipe::SwaConfig;

/// Ends a training that gets no better.
struct StopConfig {
  std::int64_t patience = 0;  ///< epochs without progress that are forgiven
  double min_delta = 0;       ///< progress is more than this
  std::string metric;         ///< "val.loss"
  bool maximize = false;
};

struct Config {
  std::int64_t epochs = 10;  ///< the trial's whole length; a piece may be shorter
  std::int64_t horizon =
      0;  ///< epochs that the schedule spans, where the trial is the beginning of a longer one; 0: its length
  std::int64_t batch_size = 32;
  OptimizerConfig optimizer;
  ScheduleConfig schedule;
  std::vector<OutputConfig> outputs;  ///< in the order of the model's
  std::int64_t accumulate = 1;        ///< batches whose gradients make one step, as one large batch would
  nn::Precision precision = nn::Precision::fp32;
  std::optional<double> ema;     ///< decay of the averaged weights that are measured in place of the last ones
  std::optional<SwaConfig> swa;  ///< never beside ema
  std::optional<StopConfig> stop;
  std::optional<double> clip_norm, clip_value;  ///< where both are set, values are clipped first
  std::int64_t log_every = 0;                   ///< steps between two points of the curves, 0: none; no part in any bit
  Json data, model;
  Json init;  ///< weights to begin with: {from, strict, sha256}, or null
  std::optional<warmstart::WarmStart> warm_start;
  Json warm_section;  ///< as written, for the fingerprint

  std::int64_t span() const { return horizon > 0 ? horizon : epochs; }
};

/// @param trial  the `trial:` section with the trial's parameters set (trial::configured)
/// @param data   decides what loss and metrics are where the section names none
/// @throws Error(usage) for an unknown op or a value out of its range, naming its place.
Config read_config(const Json& trial, const dataset::Schema& data);

/// What decides the bits of a training beside seed and replicate, as one hash: model structure, data content, and of
/// the settings those that are used. The same on every machine.
std::string fingerprint(const Config& config, const std::string& model_hash, const std::string& data_hash);

}  // namespace dlrun::train
