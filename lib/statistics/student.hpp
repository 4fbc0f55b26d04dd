// SPDX-License-Identifier: Apache-2.0
// Student's t: quantiles, p values and the interval of a mean.
#pragma once
#include <optional>
#include <vector>

namespace dlrun::statistics {

/// The value below which a share `p` of Student's distribution lies. REQUIRES: 0 < p < 1, degrees > 0.
double t_quantile(double p, double degrees);

/// P(|T| >= |t|). Infinite t: 0.
double t_two_sided(double t, double degrees);

/// P(T >= t).
double t_upper(double t, double degrees);

/// A mean and how sure it is.
struct MeanInterval {
  int n = 0;
  double mean = 0;
  double standard_error = 0;
  double low = 0;
  double high = 0;
};

/// The two-sided interval of the mean. nullopt: fewer than two values.
std::optional<MeanInterval> t_interval(const std::vector<double>& values, double level = 0.95);

}  // namespace dlrun::statistics
