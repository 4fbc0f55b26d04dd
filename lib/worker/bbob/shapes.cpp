// SPDX-License-Identifier: Apache-2.0
#include "worker/bbob/shapes.hpp"

#include <algorithm>
#include <cmath>

#include "util/arithmetic.hpp"

namespace dlrun::worker::bbob {

double share(std::size_t i, std::size_t dimensions) { return double(i) / double(dimensions - 1); }

Vector difference(const Vector& a, const Vector& b) {
  Vector out = a;
  for (std::size_t i = 0; i < a.size(); ++i) out[i] -= b[i];
  return out;
}

double squares(const Vector& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return sum;
}

double oscillated(double x) {
  if (x == 0) return 0;
  const double log = arithmetic::log(std::abs(x));
  const double fast = x > 0 ? 10 : 5.5, slow = x > 0 ? 7.9 : 3.1;
  const double size = arithmetic::exp(log + 0.049 * (arithmetic::sin(fast * log) + arithmetic::sin(slow * log)));
  return x > 0 ? size : -size;
}

Vector oscillated(Vector x) {
  for (double& v : x) v = oscillated(v);
  return x;
}

Vector asymmetric(Vector x, double beta) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] > 0) x[i] = arithmetic::pow(x[i], 1 + beta * share(i, x.size()) * std::sqrt(x[i]));
  }
  return x;
}

Vector scaled(Vector x, double condition) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= arithmetic::pow(condition, 0.5 * share(i, x.size()));
  return x;
}

double penalty(const Vector& x) {
  double sum = 0;
  for (const double v : x) {
    const double beyond = std::max(0.0, std::abs(v) - 5);
    sum += beyond * beyond;
  }
  return sum;
}

}  // namespace dlrun::worker::bbob
