// SPDX-License-Identifier: Apache-2.0
#include "statistics/student.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "statistics/doubles.hpp"
#include "statistics/summary.hpp"

namespace dlrun::statistics {

namespace {

using Student = boost::math::students_t_distribution<double, Doubles>;

}  // namespace

double t_quantile(double p, double degrees) { return boost::math::quantile(Student(degrees), p); }

double t_upper(double t, double degrees) {
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  return boost::math::cdf(boost::math::complement(Student(degrees), t));
}

double t_two_sided(double t, double degrees) { return 2 * t_upper(std::abs(t), degrees); }

std::optional<MeanInterval> t_interval(const std::vector<double>& values, double level) {
  if (values.size() < 2) return std::nullopt;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const auto n = double(values.size());
  const double error = std::sqrt(squares / (n - 1) / n);
  const double t = t_quantile((1 + level) / 2, n - 1);
  return MeanInterval{int(values.size()), centre, error, centre - t * error, centre + t * error};
}

}  // namespace dlrun::statistics
