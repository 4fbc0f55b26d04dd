// SPDX-License-Identifier: Apache-2.0
#include "samplers/parzen.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "samplers/arrays.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::samplers {

namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXf;
using Eigen::Index;

double log_sum_exp(const ArrayXf& x) {
  const float most = x.maxCoeff();
  return most + arithmetic::log(static_cast<double>(exp_of(x - most).sum()));
}

/// Log of the factor that makes a normal around `centre`, cut off outside [0, 1], integrate to 1.
double log_norm_of(double centre, double bandwidth) {
  const double scale = 1 / (bandwidth * std::numbers::sqrt2);
  const double mass = 0.5 * (arithmetic::erf((1 - centre) * scale) + arithmetic::erf(centre * scale));
  return arithmetic::log(scale * std::numbers::inv_sqrtpi / mass);
}

}  // namespace

Parzen::Parzen(const History& history, const std::vector<std::uint32_t>& trials, const ParzenOptions& options,
               KernelCache* cache, const std::vector<double>& weights)
    : history_(history), trials_(trials), options_(options), slots_(history.size(), -1) {
  const auto count = static_cast<Index>(trials.size());
  for (Index i = 0; i < count; ++i) slots_[trials[i]] = static_cast<std::int32_t>(i);
  weights_ = Eigen::Map<const ArrayXd>(weights.data(), static_cast<Index>(weights.size()));
  const double sum = weights.empty() ? static_cast<double>(count) : weights_.sum();
  weight_ = 1 / (sum + options.prior_weight);
  base_ = ArrayXf::Constant(count + 1, static_cast<float>(arithmetic::log(weight_)));
  for (Index i = 0; i < weights_.size(); ++i) base_(i) += static_cast<float>(arithmetic::log(weights_(i)));
  base_(count) = static_cast<float>(arithmetic::log(weight_ * options.prior_weight));
  if (cache) cache->axes.resize(history.axes().size());
  for (std::size_t a = 0; a < history.axes().size(); ++a) {
    axes_.push_back(history.axes()[a].is_categorical ? fit_choices(a) : fit_numbers(a, cache));
    if (!history.axes()[a].is_conditional) base_ += axes_[a].log_norm;
  }
}

Parzen::Kernels Parzen::fit_choices(std::size_t axis) const {
  const auto prior = static_cast<Index>(trials_.size());
  const auto count = static_cast<double>(history_.axes()[axis].count);
  Kernels k;
  k.centre = ArrayXd::Zero(prior + 1);
  k.have.resize(history_.axes()[axis].count);
  for (Index i = 0; i < prior; ++i) {
    const double x = k.centre(i) = history_.column(axis)[trials_[i]];
    if (!std::isnan(x)) k.have[static_cast<std::size_t>(x)].push_back(i);
  }
  k.spread = std::min(1.0, options_.spread / static_cast<double>(prior + 1));
  k.log_norm = ArrayXf::Constant(prior + 1, static_cast<float>(-arithmetic::log(count)));
  for (const auto& kernels : k.have) {
    for (const Index i : kernels) k.log_norm(i) = static_cast<float>(arithmetic::log(k.spread / count));
  }
  k.log_bonus =
      static_cast<float>(arithmetic::log(1 - k.spread + k.spread / count) - arithmetic::log(k.spread / count));
  return k;
}

Parzen::Kernels Parzen::fit_numbers(std::size_t axis, KernelCache* cache) const {
  const auto prior = static_cast<Index>(trials_.size());
  Kernels k;
  k.centre = ArrayXd::Zero(prior + 1);
  for (Index i = 0; i < prior; ++i) k.centre(i) = history_.column(axis)[trials_[i]];
  k.scale = k.offset = k.log_norm = ArrayXf::Zero(prior + 1);
  if (cache) cache->axes[axis].resize(history_.size());
  const auto order = ordered(axis);
  const std::size_t n = order.size();
  const std::int64_t values = history_.axes()[axis].count;
  const double clip = arithmetic::pow(std::min(100.0, static_cast<double>(n) + 2), -options_.narrowing);
  const double least = std::max({clip, options_.least, values > 0 ? 0.5 / static_cast<double>(values) : 0});
  for (std::size_t r = 0; r < n; ++r) {
    const double x = k.centre(order[r]);
    const double left = r > 0 ? x - k.centre(order[r - 1]) : n > 1 ? 0 : x;
    const double right = r + 1 < n ? k.centre(order[r + 1]) - x : n > 1 ? 0 : 1 - x;
    KernelCache::Entry fresh;
    KernelCache::Entry& entry = cache ? cache->axes[axis][trials_[order[r]]] : fresh;
    const double bandwidth = std::clamp(std::max(left, right), least, 1.0);
    if (entry.bandwidth != bandwidth) entry = {bandwidth, log_norm_of(x, bandwidth)};
    k.scale(order[r]) = static_cast<float>(1 / (bandwidth * std::numbers::sqrt2));
    k.offset(order[r]) = static_cast<float>(x) * k.scale(order[r]);
    k.log_norm(order[r]) = static_cast<float>(entry.log_norm);
  }
  return k;
}

std::vector<Index> Parzen::ordered(std::size_t axis) const {
  std::vector<Index> order;
  order.reserve(trials_.size());
  for (const std::uint32_t trial : history_.ascending(axis)) {
    if (slots_[trial] >= 0) order.push_back(slots_[trial]);
  }
  return order;
}

void Parzen::add_terms(std::size_t axis, float x, ArrayXf& sum) const {
  const Kernels& k = axes_[axis];
  if (!history_.axes()[axis].is_categorical) {
    sum -= (x * k.scale - k.offset).square();
    return;
  }
  for (const Index i : k.have[static_cast<std::size_t>(x)]) sum(i) += k.log_bonus;
}

double Parzen::log_density(const Coordinates& point) const {
  ArrayXf sum = base_;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (std::isnan(point[a])) continue;
    if (history_.axes()[a].is_conditional) sum += axes_[a].log_norm;
    add_terms(a, static_cast<float>(point[a]), sum);
  }
  return log_sum_exp(sum);
}

double Parzen::log_density(std::size_t axis, double x) const {
  const Kernels& k = axes_[axis];
  ArrayXf sum = k.log_norm;
  add_terms(axis, static_cast<float>(x), sum);
  const auto prior = static_cast<Index>(trials_.size());
  sum(prior) += static_cast<float>(arithmetic::log(options_.prior_weight));
  double all = options_.prior_weight;
  for (Index i = 0; i < prior; ++i) {
    const bool is_active = !std::isnan(k.centre(i));
    if (!is_active) {
      sum(i) = -std::numeric_limits<float>::infinity();
    } else if (weights_.size() == 0) {
      ++all;
    } else {
      all += weights_(i);
      sum(i) += static_cast<float>(arithmetic::log(weights_(i)));
    }
  }
  return log_sum_exp(sum) - arithmetic::log(all);
}

std::size_t Parzen::draw_kernel(RandomStream& random) const {
  double place = random.uniform() / weight_;
  if (weights_.size() == 0) return std::min(static_cast<std::size_t>(place), trials_.size());
  std::size_t kernel = 0;
  while (kernel < trials_.size() && place >= weights_(static_cast<Index>(kernel)))
    place -= weights_(static_cast<Index>(kernel++));
  return kernel;
}

double Parzen::draw(std::size_t axis, std::size_t kernel, RandomStream& random) const {
  const Kernels& k = axes_[axis];
  while (std::isnan(k.centre(static_cast<Index>(kernel)))) kernel = draw_kernel(random);  // the prior never is
  const bool is_prior = kernel == trials_.size();
  const auto i = static_cast<Index>(kernel);
  if (history_.axes()[axis].is_categorical) {
    if (!is_prior && random.uniform() >= k.spread) return k.centre(i);
    return static_cast<double>(random.below(static_cast<std::uint64_t>(history_.axes()[axis].count)));
  }
  if (is_prior) return random.uniform();
  for (;;) {  // at least a third of the kernel lies inside
    const double x = k.centre(i) + random.normal() / (static_cast<double>(k.scale(i)) * std::numbers::sqrt2);
    if (x >= 0 && x < 1) return x;
  }
}

}  // namespace dlrun::samplers
