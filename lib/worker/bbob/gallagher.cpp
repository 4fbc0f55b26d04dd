// SPDX-License-Identifier: Apache-2.0
#include "worker/bbob/gallagher.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "util/arithmetic.hpp"
#include "worker/bbob/shapes.hpp"

namespace dlrun::worker::bbob {

namespace {

struct Peaks {
  std::size_t count;
  double width, shift;  ///< a peak's coordinate is width * u - shift
  double condition_of_first;
};

/// Numbers that sort uniform draws.
std::vector<std::size_t> shuffled(std::size_t count, std::int64_t seed) {
  const Vector draws = uniform(count, seed);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return draws[a] < draws[b]; });
  return order;
}

/// Squares of the axes of a peak: powers of its condition, in random order.
Vector axes(double condition, std::size_t dimensions, std::int64_t seed) {
  Vector out;
  for (const std::size_t place : shuffled(dimensions, seed))
    out.push_back(arithmetic::pow(condition, share(place, dimensions) - 0.5));
  return out;
}

/// Place of a peak, rotated; the highest is nearer to the middle.
Vector place(const Instance& of, const Peaks& peaks, const Vector& draws, std::size_t peak) {
  Vector at(of.dimensions);
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = peaks.width * draws[peak * at.size() + i] - peaks.shift;
  at = of.q * at;
  if (peak == 0) {
    for (double& v : at) v *= 0.8;
  }
  return at;
}

double distance(const Vector& a, const Vector& b, const Vector& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += weights[i] * (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// The greatest of all peaks at x.
double highest(const Instance& of, const Peaks& peaks, const Vector& x) {
  constexpr double kCondition = 1000, kHighest = 10, kLow = 1.1, kHigh = 9.1;
  const std::vector<std::size_t> order = shuffled(peaks.count - 1, of.seed);
  const Vector draws = uniform(of.dimensions * peaks.count, of.seed), turned = of.q * x;
  const double last = double(peaks.count - 2);
  double best = 0;
  for (std::size_t i = 0; i < peaks.count; ++i) {
    const double condition =
        i == 0 ? peaks.condition_of_first : arithmetic::pow(kCondition, double(order[i - 1]) / last);
    const double height = i == 0 ? kHighest : kLow + (kHigh - kLow) * double(i - 1) / last;
    const Vector weights = axes(condition, of.dimensions, of.seed + 1000 * std::int64_t(i));
    const double far = distance(turned, place(of, peaks, draws, i), weights);
    best = std::max(best, height * arithmetic::exp(-0.5 / double(of.dimensions) * far));
  }
  return best;
}

/// Oscillation with a tenth of the usual exponent.
double bent(double depth) {
  if (depth <= 0) return 0;
  const double t = arithmetic::log(depth) / 0.1;
  return arithmetic::pow(arithmetic::exp(t + 0.49 * (arithmetic::sin(t) + arithmetic::sin(0.79 * t))), 0.1);
}

double gallagher(const Instance& of, const Peaks& peaks, const Vector& x) {
  const double value = bent(10 - highest(of, peaks, x));
  return value * value + penalty(x);
}

}  // namespace

double gallagher_101(const Instance& of, const Vector& x) {
  return gallagher(of, {.count = 101, .width = 10, .shift = 5, .condition_of_first = std::sqrt(1000.0)}, x);
}

double gallagher_21(const Instance& of, const Vector& x) {
  return gallagher(of, {.count = 21, .width = 9.8, .shift = 4.9, .condition_of_first = 1000}, x);
}

}  // namespace dlrun::worker::bbob
