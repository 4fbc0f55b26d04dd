// SPDX-License-Identifier: Apache-2.0
#include "statistics/bootstrap.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "statistics/summary.hpp"
#include "util/arithmetic.hpp"
#include "util/random.hpp"

namespace dlrun::statistics {

namespace {

std::vector<double> resampled_means(const std::vector<double>& values, int resamples) {
  RandomStream stream(0, {"bootstrap"});
  std::vector<double> means;
  for (int i = 0; i < resamples; ++i) {
    double sum = 0;
    for (std::size_t n = 0; n < values.size(); ++n) sum += values[stream.below(values.size())];
    means.push_back(sum / double(values.size()));
  }
  std::sort(means.begin(), means.end());
  return means;
}

/// Acceleration of the mean, whose jackknife values are the values, turned about and scaled: skewness / 6 sqrt(n).
double acceleration(const std::vector<double>& values) {
  const double centre = mean(values);
  double squares = 0, cubes = 0;
  for (const double value : values) {
    const double d = value - centre;
    squares += d * d;
    cubes += d * d * d;
  }
  return squares == 0 ? 0 : cubes / (6 * arithmetic::pow(squares, 1.5));
}

}  // namespace

BootstrapInterval bootstrap_interval(const std::vector<double>& values, const BootstrapOptions& options) {
  const std::vector<double> means = resampled_means(values, options.resamples);
  const double tail = (1 - options.level) / 2;
  if (options.kind == BootstrapKind::percentile || means.front() == means.back()) {
    return {quantile(means, tail), quantile(means, 1 - tail)};
  }
  const boost::math::normal normal;
  const double centre = mean(values);
  const auto below = double(std::lower_bound(means.begin(), means.end(), centre) - means.begin());
  const auto upto = double(std::upper_bound(means.begin(), means.end(), centre) - means.begin());
  const double share = std::clamp((below + upto) / 2 / double(means.size()), 1e-9, 1 - 1e-9);
  const double bias = boost::math::quantile(normal, share), skew = acceleration(values);
  const auto moved = [&](double p) {
    const double z = bias + boost::math::quantile(normal, p);
    return quantile(means, boost::math::cdf(normal, bias + z / (1 - skew * z)));
  };
  return {moved(tail), moved(1 - tail)};
}

}  // namespace dlrun::statistics
