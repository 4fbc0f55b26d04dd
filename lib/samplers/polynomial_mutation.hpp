// SPDX-License-Identifier: Apache-2.0
// Small changes of a unit coordinate, as evolving populations make them.
#pragma once
#include <algorithm>

#include "samplers/sequence.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::samplers {

inline double inside_unit(double x) { return std::clamp(x, 0.0, kBelowOne); }

/// Polynomial mutation of a coordinate of [0, 1] (Deb and Agrawal 1995).
/// @param eta  the larger, the smaller the changes    @param u  a draw from [0, 1)
inline double nudged(double x, double eta, double u) {
  const double power = 1 / (eta + 1);
  if (u < 0.5) return x + arithmetic::pow(2 * u + (1 - 2 * u) * arithmetic::pow(1 - x, eta + 1), power) - 1;
  return x + 1 - arithmetic::pow(2 * (1 - u) + 2 * (u - 0.5) * arithmetic::pow(x, eta + 1), power);
}

}  // namespace dlrun::samplers
