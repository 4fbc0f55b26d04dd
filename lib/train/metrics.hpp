// SPDX-License-Identifier: Apache-2.0
// Metrics of a split, gathered batch by batch.
#pragma once
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "trial/trial.hpp"
#include "util/json.hpp"

namespace dlrun::train {

/// Running sums from which every metric follows; doubles, so that the order of batches is all that matters. Kept in a
/// checkpoint that is written within an epoch.
class Sums {
 public:
  /// @param loss     the batch's mean loss
  /// @param output   [B, …] float32    @param targets  [B] int64 or [B, T] float32
  void add(double loss, const at::Tensor& output, const at::Tensor& targets);

  /// Mean loss of all examples so far.
  double loss() const { return examples_ > 0 ? loss_ / examples_ : 0; }
  /// {split}.loss and {split}.NAME for each of `names`. REQUIRES: add() was called with targets that fit the names.
  std::vector<trial::Metric> metrics(const std::string& split, const std::vector<std::string>& names) const;

  Json to_json() const;
  /// @throws Json::exception where a key is missing.
  static Sums from_json(const Json& json);

 private:
  void add_classes(const at::Tensor& output, const at::Tensor& labels);
  void add_values(const at::Tensor& output, const at::Tensor& targets);
  double value(const std::string& name) const;
  /// Share of the targets' variance that is explained, mean over the targets; 0 for a target that never varies.
  double r2() const;

  double examples_ = 0, loss_ = 0, correct_ = 0, absolute_ = 0;
  std::vector<double> squared_;                  ///< by target: sum of squared errors
  std::vector<double> target_, target_squared_;  ///< by target: sums of the targets themselves
};

}  // namespace dlrun::train
