// SPDX-License-Identifier: Apache-2.0
#include "statistics/normal.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "util/arithmetic.hpp"

namespace dlrun::statistics {

namespace {

/// Two polynomials of degree 7, coefficients by ascending powers.
struct Ratio {
  double above[8], below[8];

  double operator()(double r) const {
    double numerator = above[7], denominator = below[7];
    for (int i = 6; i >= 0; --i) {
      numerator = numerator * r + above[i];
      denominator = denominator * r + below[i];
    }
    return numerator / denominator;
  }
};

/// Within 0.425 of a half.
constexpr Ratio kMiddle = {
    {3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125, 45921.953931549871457,
     67265.770927008700853, 33430.575583588128105, 2509.0809287301226727},
    {1, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077, 21213.794301586595867,
     39307.895800092710610, 28729.085735721942674, 5226.4952788528545610}};
/// Down to e^-25.
constexpr Ratio kTail = {
    {1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
     1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833, 7.74545014278341407640e-4},
    {1, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550, 0.148103976427480074590,
     0.0151986665636164571966, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
/// Below.
constexpr Ratio kFarTail = {
    {6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 0.296560571828504891230,
     0.0265321895265761230930, 0.00124266094738807843860, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525, 7.86869131145613259100e-4,
     1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};

}  // namespace

double normal_below(double z) { return 0.5 * arithmetic::erfc(-z / std::numbers::sqrt2); }

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) return q * kMiddle(0.180625 - q * q);
  const double rest = q < 0 ? p : 1 - p;
  if (rest <= 0) return std::copysign(std::numeric_limits<double>::infinity(), q);
  const double r = std::sqrt(-arithmetic::log(rest));
  return std::copysign(r <= 5 ? kTail(r - 1.6) : kFarTail(r - 5), q);
}

}  // namespace dlrun::statistics
