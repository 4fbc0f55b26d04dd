// SPDX-License-Identifier: Apache-2.0
#include "statistics/paired.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "statistics/precision.hpp"
#include "statistics/student.hpp"
#include "statistics/summary.hpp"

namespace dlrun::statistics {

namespace {

constexpr double kRounding = 1e-10;  // spread or mean below this share of the largest difference is its subtraction's

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

Effect without_spread(Effect effect) {
  const bool is_zero = effect.mean == 0;
  const double end = is_zero ? 0 : std::copysign(std::numeric_limits<double>::infinity(), effect.mean);
  effect.sd = effect.standard_error = 0;
  effect.low = effect.high = effect.mean;
  effect.t = effect.d_z = end;
  effect.p = is_zero ? 1 : std::ldexp(1.0, 1 - effect.n);
  return effect;
}

}  // namespace

Effect tested(Effect effect, double level) {
  const double reach = t_quantile((1 + level) / 2, effect.degrees) * effect.standard_error;
  effect.low = effect.mean - reach;
  effect.high = effect.mean + reach;
  effect.t = effect.mean / effect.standard_error;
  effect.p = t_two_sided(effect.t, effect.degrees);
  return effect;
}

std::optional<Effect> effect_of(const std::vector<double>& differences, const EffectOptions& options) {
  if (differences.size() < 2) return std::nullopt;
  Effect effect{.n = int(differences.size()), .mean = mean(differences), .sd = standard_deviation(differences)};
  const double rounding = kRounding * largest_of(differences);
  if (std::abs(effect.mean) <= rounding) effect.mean = 0;
  if (effect.sd <= rounding) return without_spread(effect);
  effect.degrees = effect.n - 1;
  effect.standard_error = effect.sd * std::sqrt(1.0 / effect.n + options.test_share);
  effect.d_z = effect.mean / effect.sd;
  return tested(effect, options.level);
}

double superiority(const std::vector<double>& differences) {
  double won = 0;
  for (const double d : differences) won += d > 0 ? 1 : (d == 0 ? 0.5 : 0);
  return won / double(differences.size());
}

std::vector<double> gains(const std::vector<double>& base, const std::vector<double>& variant, bool maximize) {
  std::vector<double> out;
  out.reserve(base.size());
  const double largest = std::max(largest_of(base), largest_of(variant));
  for (std::size_t i = 0; i < base.size(); ++i)
    out.push_back(at_precision(maximize ? base[i] - variant[i] : variant[i] - base[i], largest));
  return out;
}

}  // namespace dlrun::statistics
