// SPDX-License-Identifier: Apache-2.0
// Factors of the learning rate by `lr_scaling`, step by step. Knows no tensor: norms come as numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "recipe/lr_scaling.hpp"
#include "util/json.hpp"

namespace dlrun::recipe {

/// Length of a training, which warm-ups count by, and its batches.
struct GainsPlan {
  std::int64_t micro_batches = 1;  ///< in a whole step; the last one of an epoch may have fewer
  std::int64_t updates = 0;        ///< in the whole training
  std::int64_t batches = 0;        ///< micro-batches of the whole training
  double base_share = 1;           ///< micro-batch's examples, of those that the base rate was chosen for
  bool is_warmed = false;          ///< the training goes on from a place behind its warm-up
};

/// Gains and warm-ups. The gain of a gradient of n micro-batches is r = (mean of |g_i|^2 + eps) / (|mean of g_i|^2 +
/// eps), both as running means, within [1, n]: n if the g_i are orthogonal, 1 if they are equal. For the whole model
/// that is AdaScale's gain (Johnson et al., ICML 2020, arXiv:2007.05105, with sigma^2 and mu^2 put in); for each
/// tensor, LENA's (Ko et al., WWW 2022, section 4). With S the sum of a tensor's gains so far and T the micro-batches
/// of the whole training, LENA's warm-up multiplies its rate by S / (alpha T) as long as that is below 1.
///
/// Differs from the papers: running means are unbiased from the first step, so that eps keeps its size; their weight is
/// at most 1; a gain that is cut to n counts as n in S; a warm-up rises at least linearly to its end at `longest`, for
/// with small gains it would never end; schedules go by updates for AdaScale too, not by gains.
class Gains {
 public:
  /// @param tensors  of which each has a gain
  Gains(const LrScalingConfig& config, const GainsPlan& plan, std::size_t tensors);

  /// Takes in the gradients of a step that is about to be taken.
  /// @param each   by tensor: mean over the micro-batches of their squared norms
  /// @param mean   by tensor: squared norm of their mean
  /// @param count  micro-batches
  void observe(std::span<const double> each, std::span<const double> mean, std::int64_t count);

  /// Factors of the rate: one for all, or one for each tensor where they differ.
  /// @param step   number of the update, from 0
  /// @param count  its micro-batches
  std::vector<double> factors(std::int64_t step, std::int64_t count) const;

  bool is_layer_wise() const { return config_.is_layer_wise(); }
  bool measures() const { return config_.measures(); }
  /// Gains of the step that was observed last: their mean over the tensors, or the model's.
  double gain() const;

  /// Running means, sums of gains: all that lasts from step to step.
  Json state() const;
  /// @param state  null: a beginning.  @throws Error(store)
  void restore(const Json& state);

 private:
  double ratio(double each, double mean, std::int64_t count) const;
  double whole(std::size_t tensor, std::int64_t count) const;
  double warmed(std::size_t tensor, std::int64_t step, double factor) const;

  LrScalingConfig config_;
  GainsPlan plan_;
  double weight_;                    ///< weight of a step in the running means
  double seen_ = 0;                  ///< sum of all steps' weights; the means are divided by it
  std::vector<double> each_, mean_;  ///< running means, by tensor
  std::vector<double> progress_;     ///< sums of gains, by tensor
  std::vector<double> gains_;        ///< in the last step, by tensor
  double model_gain_ = 1;
};

}  // namespace dlrun::recipe
