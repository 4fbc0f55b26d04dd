// SPDX-License-Identifier: Apache-2.0
// The transformations that BBOB's functions are composed of. Coordinates count from 0; `share` is i / (D - 1).
#pragma once
#include "worker/bbob/instance.hpp"

namespace dlrun::worker::bbob {

/// i / (D - 1)
double share(std::size_t i, std::size_t dimensions);
Vector difference(const Vector& a, const Vector& b);
double squares(const Vector& x);
/// Adds small smooth oscillations; 0 stays 0.
double oscillated(double x);
Vector oscillated(Vector x);
/// Bends positive coordinates, the later the more, by exponents from 1 to 1 + beta * sqrt(x).
Vector asymmetric(Vector x, double beta);
/// Coordinates times sqrt(condition)^share.
Vector scaled(Vector x, double condition);
/// The sum of the squares by which coordinates are beyond [-5, 5].
double penalty(const Vector& x);

}  // namespace dlrun::worker::bbob
