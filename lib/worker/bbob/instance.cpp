// SPDX-License-Identifier: Apache-2.0
#include "worker/bbob/instance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "util/arithmetic.hpp"

namespace dlrun::worker::bbob {

namespace {

constexpr std::int64_t kModulus = 2147483647;
constexpr std::int64_t kOfSecondRotation = 1000000;  ///< added to the seed

std::int64_t next(std::int64_t state) {
  const std::int64_t high = state / 127773;
  state = 16807 * (state - high * 127773) - 2836 * high;
  return state < 0 ? state + kModulus : state;
}

/// Functions 4 and 18 have the instances of those that they differ from in shape alone.
std::int64_t seed_of(int id, int instance) {
  const int kin = id == 4 ? 3 : id == 18 ? 17 : id;
  return kin + std::int64_t(10000) * instance;
}

double offset_of(std::int64_t seed) {
  const double ratio = normal(1, seed)[0] / normal(1, seed + 1)[0];
  return std::clamp(std::floor(100 * 100 * ratio + 0.5) / 100, -1000.0, 1000.0);
}

}  // namespace

Vector operator*(const Matrix& matrix, const Vector& x) {
  Vector y(matrix.size);
  for (std::size_t i = 0; i < matrix.size; ++i) {
    for (std::size_t j = 0; j < matrix.size; ++j) y[i] += matrix(i, j) * x[j];
  }
  return y;
}

Vector uniform(std::size_t count, std::int64_t seed) {
  constexpr int kWarmUp = 40, kTable = 32;
  std::int64_t state = std::max<std::int64_t>(seed < 0 ? -seed : seed, 1);
  std::array<std::int64_t, kTable> table{};
  for (int i = kWarmUp - 1; i >= 0; --i) {
    state = next(state);
    if (i < kTable) table[std::size_t(i)] = state;
  }
  std::int64_t drawn = table[0];
  Vector numbers;
  while (numbers.size() < count) {
    state = next(state);
    std::int64_t& place = table[std::size_t(drawn / 67108865)];
    drawn = std::exchange(place, state);
    numbers.push_back(drawn == 0 ? 1e-99 : double(drawn) / double(kModulus));
  }
  return numbers;
}

Vector normal(std::size_t count, std::int64_t seed) {
  const Vector u = uniform(2 * count, seed);
  Vector numbers;
  for (std::size_t i = 0; i < count; ++i) {
    const double z = std::sqrt(-2 * arithmetic::log(u[i])) * arithmetic::cos(2 * std::numbers::pi * u[count + i]);
    numbers.push_back(z == 0 ? 1e-99 : z);
  }
  return numbers;
}

Matrix rotation(std::size_t size, std::int64_t seed) {
  const Vector z = normal(size * size, seed);
  Matrix b{size, Vector(size * size)};
  const auto at = [&](std::size_t row, std::size_t column) -> double& { return b.at[row * size + column]; };
  const auto product = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < size; ++k) sum += at(k, i) * at(k, j);
    return sum;
  };
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k) at(k, i) = z[i * size + k];
    for (std::size_t j = 0; j < i; ++j) {
      const double along = product(i, j);
      for (std::size_t k = 0; k < size; ++k) at(k, i) -= along * at(k, j);
    }
    const double length = std::sqrt(product(i, i));
    for (std::size_t k = 0; k < size; ++k) at(k, i) /= length;
  }
  return b;
}

Vector optimum(std::size_t size, std::int64_t seed) {
  Vector x = uniform(size, seed);
  for (double& v : x) {
    v = 8 * std::floor(1e4 * v) / 1e4 - 4;
    if (v == 0) v = -1e-5;
  }
  return x;
}

Instance::Instance(int id, int instance, std::size_t count)
    : dimensions(count),
      seed(seed_of(id, instance)),
      optimum(bbob::optimum(count, seed)),
      r(rotation(count, seed + kOfSecondRotation)),
      q(rotation(count, seed)),
      offset(offset_of(seed)) {
  if (id == 12) optimum = bbob::optimum(count, seed + kOfSecondRotation);
}

}  // namespace dlrun::worker::bbob
