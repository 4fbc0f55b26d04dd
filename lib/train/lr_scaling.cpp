// SPDX-License-Identifier: Apache-2.0
#include "train/lr_scaling.hpp"

#include <numeric>
#include <utility>

#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>

namespace dlrun::train {

std::vector<double> squares_by_kernels(const at::Tensor& grads, const std::vector<Range>& ranges) {
  std::vector<at::Tensor> norms;
  for (const Range& range : ranges) {
    const at::Tensor part = grads.narrow(0, std::int64_t(range.begin), std::int64_t(range.end - range.begin));
    norms.push_back(at::linalg_vector_norm(part, 2));
  }
  const at::Tensor all = at::stack(norms).to(at::kDouble).square().cpu();
  const auto* numbers = all.const_data_ptr<double>();
  return {numbers, numbers + all.numel()};
}

LrScaling::LrScaling(const recipe::LrScalingConfig& config, const recipe::GainsPlan& plan, std::vector<Range> ranges)
    : gains_(config, plan, ranges.size()), ranges_(std::move(ranges)), sums_(ranges_.size()) {}

std::vector<double> LrScaling::squares_of(const at::Tensor& grads) const {
  if (!grads.is_cpu()) return squares_by_kernels(grads, ranges_);
  const auto* numbers = grads.const_data_ptr<float>();
  std::vector<double> squares;
  for (const Range& range : ranges_) squares.push_back(square(numbers + range.begin, range.end - range.begin));
  return squares;
}

void LrScaling::add_batch(const at::Tensor& grads, double weight) {
  ++count_;
  if (!measures()) return;
  const std::vector<double> squares = squares_of(grads);
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += weight * squares[i];
  weight_ += weight;
}

Pace LrScaling::finish(const at::Tensor& grads, const Pace& pace, std::int64_t step) {
  const std::int64_t count = std::exchange(count_, 0);
  std::vector<double> each = std::exchange(sums_, std::vector<double>(ranges_.size()));
  const double weight = std::exchange(weight_, 0);
  for (double& square : each) square = weight > 0 ? square / weight : 0;
  observe(each, grads, count);
  return scaled(pace, step, count);
}

void LrScaling::observe(std::span<const double> each, const at::Tensor& grads, std::int64_t count) {
  if (measures()) gains_.observe(each, squares_of(grads), count);
}

Pace LrScaling::scaled(const Pace& pace, std::int64_t step, std::int64_t count) {
  factors_ = gains_.factors(step, count);
  Pace own = pace;
  if (gains_.is_layer_wise()) {
    own.factors = factors_;
  } else {
    own.lr *= factors_.front();
  }
  return own;
}

double LrScaling::factor() const {
  return std::accumulate(factors_.begin(), factors_.end(), 0.0) / double(factors_.size());
}

void LrScaling::restore(const Json& state) {
  gains_.restore(state);
  sums_.assign(ranges_.size(), 0);
  weight_ = 0;
  count_ = 0;
}

}  // namespace dlrun::train
