// SPDX-License-Identifier: Apache-2.0
// The training half of a trial's configuration, read once from its normal form (keys: docs/trial-keys.md).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/dataset.hpp"
#include "util/json.hpp"

namespace dlrun::train {

struct OptimizerConfig {
  std::string op = "sgd";  ///< sgd | adam | adamw
  double lr = 0.05;
  double weight_decay = 0;
  double momentum = 0;                            ///< sgd
  bool nesterov = false;                          ///< sgd
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;  ///< adam, adamw
};

struct ScheduleConfig {
  std::string op = "constant";  ///< constant | step | cosine
  std::int64_t every = 10;      ///< step: epochs between two drops
  double gamma = 0.1;           ///< step: factor of a drop
  double min_lr = 0;            ///< cosine: where it ends
  double warmup = 0;            ///< epochs of linear rise
};

struct LossConfig {
  std::string op = "cross_entropy";  ///< cross_entropy | binary_cross_entropy | mse | mae | huber
  double label_smoothing = 0;        ///< cross_entropy
  double delta = 1;                  ///< huber
};

struct Config {
  std::int64_t epochs = 10;  ///< the trial's whole length, which a schedule spans; a piece may be shorter
  std::int64_t batch_size = 32;
  OptimizerConfig optimizer;
  ScheduleConfig schedule;
  LossConfig loss;
  std::optional<double> clip_norm;
  std::vector<std::string> metrics;  ///< beside the loss: accuracy | mae | mse | rmse | r2
  Json data, model;
};

/// @param trial  the `trial:` section with the trial's parameters set (trial::configured)
/// @param data   decides what loss and metrics are where the section names none
/// @throws Error(usage) for an unknown op or a value out of its range, naming its place.
Config read_config(const Json& trial, const dataset::Schema& data);

/// What decides the bits of a training beside seed and replicate, as one hash: model structure, data content, and of
/// the settings those that are used. The same on every machine.
std::string fingerprint(const Config& config, const std::string& model_hash, const std::string& data_hash);

}  // namespace dlrun::train
