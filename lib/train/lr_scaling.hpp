// SPDX-License-Identifier: Apache-2.0
// The rate of a step by the gradients of its micro-batches (recipe::Gains).
#pragma once
#include <optional>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "recipe/gains.hpp"
#include "train/optimizer.hpp"

namespace dlrun::train {

/// Squared norms of ranges by ATen's kernels, as gradients on a device need them; one transfer for all.
std::vector<double> squares_by_kernels(const at::Tensor& grads, const std::vector<Range>& ranges);

/// Measures norms of gradients where they lie and scales the pace of steps. Norms are taken before micro-batches are
/// summed, and those of their mean before clipping.
class LrScaling {
 public:
  /// @param ranges  of the optimiser; each has a gain of its own
  LrScaling(const recipe::LrScalingConfig& config, const recipe::GainsPlan& plan, std::vector<Range> ranges);

  bool measures() const { return gains_.measures(); }
  std::size_t tensors() const { return ranges_.size(); }
  /// Squared norms of the ranges.
  std::vector<double> squares_of(const at::Tensor& grads) const;

  /// A micro-batch was passed. @param weight  of its gradient in the step's
  void add_batch(const at::Tensor& grads, double weight);
  /// The pace of the step whose micro-batches were added. @param grads  their mean    @param step  from 0
  Pace finish(const at::Tensor& grads, const Pace& pace, std::int64_t step);

  /// Takes in what others have summed: means of squared norms over `count` micro-batches, and their mean gradient.
  void observe(std::span<const double> each, const at::Tensor& grads, std::int64_t count);
  /// @return with factors that are lent until the next call
  Pace scaled(const Pace& pace, std::int64_t step, std::int64_t count);

  /// Mean factor of the rate, and mean gain, in the last step.
  double factor() const;
  std::optional<double> gain() const { return measures() ? std::optional(gains_.gain()) : std::nullopt; }

  Json state() const { return measures() ? gains_.state() : Json(); }
  void restore(const Json& state);

 private:
  recipe::Gains gains_;
  std::vector<Range> ranges_;
  std::vector<double> sums_;  ///< weighted squared norms of the micro-batches so far, by range
  double weight_ = 0;
  std::int64_t count_ = 0;
  std::vector<double> factors_ = {1};
};

}  // namespace dlrun::train
