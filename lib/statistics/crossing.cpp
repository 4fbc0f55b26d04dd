// SPDX-License-Identifier: Apache-2.0
#include "statistics/crossing.hpp"

#include <algorithm>
#include <boost/math/interpolators/pchip.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <functional>
#include <numbers>

#include "statistics/doubles.hpp"
#include "statistics/student.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::statistics {

namespace {

using Rule = boost::math::quadrature::gauss<double, 20>;
using Later = std::function<double(double)>;  // P(crossing after this look), given u there; even in u

constexpr double kRightAngle = std::numbers::pi / 2;
constexpr double kSpreads = 9;  // beyond so many standard deviations of an angle there is nothing
constexpr double kNothing = 1e-60;
constexpr int kPoints = 64;  // points of u, at which a look's function is known

/// x^exponent by repeated squaring, several times as fast as a power of real exponents. REQUIRES: exponent >= 0
double power(double x, int exponent) {
  double result = 1;
  while (exponent > 0) {
    if (exponent % 2 == 1) result *= x;
    exponent /= 2;
    x *= x;
  }
  return result;
}

/// Cosine of an angle up to a right one.
double cosine_of(double sine) { return std::sqrt((1 - sine) * (1 + sine)); }

/// The cosine at which the test of a look becomes significant. Where t or its square is beyond all doubles, as early
/// looks of a large effect have it, that is 1.
double critical_cosine(const Look& look) {
  if (look.level < 1e-100) return 1;
  const double t = -t_quantile(look.level / 2, look.n - 1);
  return std::isinf(t * t) ? 1 : t / std::sqrt(t * t + look.n - 1);
}

/// P(v > x) of the cosine v of `count` normal values with a given direction.
double tail(double x, int count) {
  if (x >= 1) return 0;
  if (x <= -1) return 1;
  if (count == 1) return 0.5;
  const double half = 0.5 * boost::math::ibetac(0.5, 0.5 * (count - 1), x * x, Doubles());
  return x >= 0 ? half : 1 - half;
}

/// One step of the chain, from n values to m.
class Lookback {
 public:
  Lookback(int n, int m, double critical, Later later)
      : n_(n), g_(m - n), critical_(critical), later_(std::move(later)) {
    of_old_ = std::sqrt(double(n) / m);
    of_new_ = std::sqrt(double(g_) / m);
    angle_scale_ = 2 / boost::math::beta(0.5 * n_, 0.5 * g_, Doubles());
    cosine_scale_ = g_ > 1 ? 1 / boost::math::beta(0.5, 0.5 * (g_ - 1), Doubles()) : 1;
    const double centre = arithmetic::atan2(of_new_, of_old_), spread = kSpreads / std::sqrt(2.0 * m);
    least_ = std::max(0.0, centre - spread);
    most_ = std::min(kRightAngle, centre + spread);
  }

  /// P(crossing at the end of the step, or later), given u at its beginning.
  double operator()(double u) const {
    const std::vector<double> breaks = breaks_of(u);
    double sum = 0;
    for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
      const auto at = [&](double angle) {
        const double sine = arithmetic::sin(angle), cosine = cosine_of(sine);
        return density(cosine, sine) * given_angle(u, cosine, sine);
      };
      sum += Rule::integrate(at, breaks[i], breaks[i + 1]);
    }
    return sum;
  }

 private:
  double density(double cosine, double sine) const {
    return angle_scale_ * power(cosine, n_ - 1) * power(sine, g_ - 1);
  }

  /// Angles where the extremes of u' reach a critical value: between them the integrand is smooth.
  std::vector<double> breaks_of(double u) const {
    std::vector<double> breaks = {least_, most_};
    const double size = arithmetic::hypot(of_old_ * u, of_new_), turn = arithmetic::atan2(of_new_, of_old_ * u);
    for (const double edge : {critical_, -critical_}) {
      if (std::abs(edge) >= size) continue;
      const double away = arithmetic::acos(edge / size);
      for (const double angle : {turn + away, turn - away, -turn + away, -turn - away}) {
        if (angle > least_ && angle < most_) breaks.push_back(angle);
      }
    }
    std::sort(breaks.begin(), breaks.end());
    return breaks;
  }

  double given_angle(double u, double cosine, double sine) const {
    const double centre = of_old_ * u * cosine, reach = of_new_ * sine;
    const double low = (-critical_ - centre) / reach, high = (critical_ - centre) / reach;
    const double beyond = tail(high, g_) + tail(-low, g_);
    return later_ ? beyond + within(centre, reach, low, high) : beyond;
  }

  /// Chance of a later crossing whose new cosine v lies between low and high.
  double within(double centre, double reach, double low, double high) const {
    const auto at = [&](double v) { return later_(std::abs(centre + reach * v)); };
    if (g_ == 1) return 0.5 * ((low <= 1 && high >= 1 ? at(1) : 0) + (low <= -1 && high >= -1 ? at(-1) : 0));
    const double spread = std::min(kRightAngle, kSpreads / std::sqrt(double(g_)));
    const double from = std::max(-spread, arithmetic::asin(std::clamp(low, -1.0, 1.0)));
    const double to = std::min(spread, arithmetic::asin(std::clamp(high, -1.0, 1.0)));
    if (from >= to) return 0;
    const auto weighted = [&](double angle) {
      const double sine = arithmetic::sin(angle);
      return cosine_scale_ * power(cosine_of(sine), g_ - 2) * at(sine);
    };
    return Rule::integrate(weighted, from, to);
  }

  int n_, g_;
  double critical_;
  Later later_;
  double of_old_, of_new_, angle_scale_, cosine_scale_, least_, most_;
};

/// The same function by kPoints of its logarithm, over [0, most]: it spans many powers of ten. Cubic and without
/// overshoot.
Later tabulated(const Lookback& step, double most) {
  std::vector<double> at, values;
  for (int i = 0; i < kPoints; ++i) {
    at.push_back(most * i / (kPoints - 1));
    values.push_back(arithmetic::log(std::max(step(at.back()), kNothing)));
  }
  using Curve = boost::math::interpolators::pchip<std::vector<double>>;
  return [curve = Curve(std::move(at), std::move(values), 0.0), most](double u) {
    return arithmetic::exp(curve(std::min(u, most)));
  };
}

/// Chance of a crossing from the first look's u on, whose angle has the density cos^(n - 2).
double from_start(int n, double critical, const Later& later) {
  const double beyond = 2 * tail(critical, n);
  if (!later) return beyond;
  const double scale = 2 / boost::math::beta(0.5, 0.5 * (n - 1), Doubles());
  const double most = std::min(arithmetic::asin(critical), kSpreads / std::sqrt(double(n)));
  const auto at = [&](double angle) {
    const double sine = arithmetic::sin(angle);
    return scale * power(cosine_of(sine), n - 2) * later(sine);
  };
  return beyond + Rule::integrate(at, 0.0, most);
}

}  // namespace

double crossing_probability(const std::vector<Look>& looks) {
  Later later;
  for (std::size_t i = looks.size() - 1; i-- > 0;) {
    const Lookback step(looks[i].n, looks[i + 1].n, critical_cosine(looks[i + 1]), later);
    later = tabulated(step, critical_cosine(looks[i]));
  }
  return std::clamp(from_start(looks[0].n, critical_cosine(looks[0]), later), 0.0, 1.0);
}

}  // namespace dlrun::statistics
