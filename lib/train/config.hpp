// SPDX-License-Identifier: Apache-2.0
// The training half of a trial's configuration, read once from its normal form (keys: docs/trial-keys.md).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/dataset.hpp"
#include "dataset/partition_section.hpp"
#include "nn/precision.hpp"
#include "recipe/averaging.hpp"
#include "recipe/lr_scaling.hpp"
#include "recipe/optimizer.hpp"
#include "recipe/outputs.hpp"
#include "recipe/parallel.hpp"
#include "recipe/placement.hpp"
#include "recipe/schedule_config.hpp"
#include "recipe/training.hpp"
#include "util/json.hpp"
#include "warmstart/settings.hpp"

namespace dlrun::train {

using recipe::GroupConfig;
using recipe::LossConfig;
using recipe::OptimizerConfig;
using recipe::OutputConfig;
using recipe::ScheduleConfig;
using recipe::StopConfig;
using recipe::SwaConfig;

struct Config : recipe::TrainingConfig {
  OptimizerConfig optimizer;
  ScheduleConfig schedule;
  std::vector<OutputConfig> outputs;  ///< in the order of the model's
  std::optional<SwaConfig> swa;       ///< never beside ema
  std::optional<recipe::ParallelConfig> parallel;
  std::optional<recipe::PlacementConfig> placement;
  std::optional<recipe::LrScalingConfig> lr_scaling;  ///< in the place of the gang's own factor
  Json data, model;
  std::optional<dataset::Partition> partition;  ///< only if there are several ranks
  Json init;                                    ///< weights to begin with: {from, strict, sha256}, or null
  std::optional<warmstart::WarmStart> warm_start;
  Json warm_section;  ///< as written, for the fingerprint
  Json plugins;       ///< used by the study, for the fingerprint; null: none

  /// Batches that move the schedule on by one step.
  std::int64_t batches_per_step() const { return parallel ? parallel->gang.ranks : accumulate; }
  /// Batches whose mean gradient a step is by, as a rule: none of those that `drop_slowest` drops.
  std::int64_t micro_batches() const {
    return parallel ? parallel::counted_ranks(parallel->gang.method, parallel->gang.ranks) : accumulate;
  }
  nn::Precision products() const { return nn::find_precision(precision).value(); }
};

/// @param trial  the `trial:` section with the trial's parameters set (trial::configured)
/// @param data   decides what loss and metrics are where the section names none
/// @throws Error(usage) for an unknown op or a value out of its range, naming its place.
Config read_config(const Json& trial, const dataset::Schema& data);

/// A hash of all that decides the bits of a training beside seed and replicate: model structure, data content, and the
/// settings that are used. The same on every machine.
std::string fingerprint(const Config& config, const std::string& model_hash, const std::string& data_hash);

}  // namespace dlrun::train
