// SPDX-License-Identifier: Apache-2.0
// Contribution of a component: differences between baseline and variant, replicate by replicate.
#pragma once
#include <optional>
#include <vector>

namespace dlrun::statistics {

struct EffectOptions {
  double level = 0.95;  ///< level of the interval
  /// Size of a test set relative to its training set where every replicate has a split of its own: such replicates
  /// share data, and the variance of their mean is s^2 (1/n + n_test / n_train) instead of s^2 / n (Nadeau and Bengio,
  /// Machine Learning 2003, section 4). 0: one split for all.
  double test_share = 0;
};

/// A mean of differences, Student's test of it against 0, and its size.
///
/// Where all differences are equal but for rounding the test has nothing to go by; p is then what signs alone can say,
/// 2 / 2^n (and 1 for differences of 0).
struct Effect {
  int n = 0;
  double mean = 0;
  double sd = 0;
  double standard_error = 0;
  double low = 0;  ///< ends of the interval
  double high = 0;
  double t = 0;
  double p = 1;        ///< two-sided
  double d_z = 0;      ///< mean / sd (Cohen); infinite for equal differences other than 0
  double degrees = 1;  ///< degrees of freedom of t
};

/// The effect with its interval, t and p, by Student's t.
/// @param effect  with its mean, its standard error (other than 0) and its degrees of freedom
Effect tested(Effect effect, double level);

/// nullopt: fewer than two differences.
std::optional<Effect> effect_of(const std::vector<double>& differences, const EffectOptions& options = {});

/// P(difference > 0), ties count half. REQUIRES: not empty.
double superiority(const std::vector<double>& differences);

/// base - variant by replicate, so that positive says the component helps; with its sign turned where less is better.
/// REQUIRES: as many of either.
std::vector<double> gains(const std::vector<double>& base, const std::vector<double>& variant, bool maximize);

}  // namespace dlrun::statistics
