// SPDX-License-Identifier: Apache-2.0
#include "statistics/power.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "statistics/student.hpp"

namespace dlrun::statistics {

namespace {

using boost::math::cdf;
using boost::math::complement;

/// The least n whose power is enough; the power grows with n.
template <class Power>
std::optional<int> least_replicates(double enough, Power power) {
  int low = 1, high = 2;  // low has too little
  while (power(high) < enough) {
    low = high;
    high *= 2;
    if (low >= kMostReplicates) return std::nullopt;
  }
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (power(middle) < enough ? low : high) = middle;
  }
  return high;
}

}  // namespace

double paired_t_power(double d_z, int n, double alpha, double test_share) {
  const double shift = std::abs(d_z) * std::sqrt(n / (1 + n * test_share));
  const double critical = t_quantile(1 - alpha / 2, n - 1);
  if (shift == 0) return alpha;
  if (shift > 30 + 2 * critical) return 1;
  const boost::math::non_central_t t(n - 1, shift);
  return cdf(complement(t, critical)) + cdf(t, -critical);
}

double least_effect_by_power(int n, double alpha, double power) {
  constexpr double kDigits = 1e-5;
  double low = 0, high = 1;
  while (paired_t_power(high, n, alpha) < power) high *= 2;
  while (high - low > kDigits * high) {
    const double middle = (low + high) / 2;
    (paired_t_power(middle, n, alpha) < power ? low : high) = middle;
  }
  return high;
}

double equivalence_power(double rope, int n, double alpha, double d_z) {
  const double degrees = n - 1, root = std::sqrt(double(n));
  const double critical = t_quantile(1 - alpha, degrees);
  const double widest = rope * root / critical;  // a spread above leaves no room between the two tests
  const boost::math::chi_squared spread(degrees);
  const boost::math::normal normal;
  // s = sd of the sample in units of the population's: (n - 1) s^2 is chi squared
  const auto inside = [&](double s) {
    const double room = critical * s;
    const double share = cdf(normal, (rope - d_z) * root - room) - cdf(normal, -(rope + d_z) * root + room);
    return share * boost::math::pdf(spread, degrees * s * s) * 2 * degrees * s;
  };
  const double most = std::min(widest, 1 + 12 / std::sqrt(degrees));
  return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(inside, 0.0, most, 12, 1e-12);
}

double paired_size(double d, double correlation) { return d / std::sqrt(2 * (1 - correlation)); }

int least_replicates_by_floor(int k, double alpha) {
  int n = 1;
  while (std::ldexp(1.0, 1 - n) > alpha / k) ++n;
  return n;
}

std::optional<int> least_replicates_by_power(double d_z, double alpha, double power, double test_share) {
  return least_replicates(power, [&](int n) { return paired_t_power(d_z, n, alpha, test_share); });
}

std::optional<int> least_replicates_by_equivalence(double rope, double alpha, double power) {
  return least_replicates(power, [&](int n) { return equivalence_power(rope, n, alpha); });
}

}  // namespace dlrun::statistics
