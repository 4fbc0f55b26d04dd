// SPDX-License-Identifier: Apache-2.0
#include "study/interval.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace dlrun::study {

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / double(values.size());
}

std::optional<Interval> interval(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const auto n = double(values.size());
  const double error = std::sqrt(squares / (n - 1) / n);
  const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
  return Interval{int(values.size()), error, centre - t * error, centre + t * error};
}

}  // namespace dlrun::study
