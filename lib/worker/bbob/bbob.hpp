// SPDX-License-Identifier: Apache-2.0
// The 24 noiseless functions of BBOB, to be minimised over [-5, 5]^D: Hansen, Finck, Ros and Auger, Real-Parameter
// Black-Box Optimization Benchmarking 2009: Noiseless Functions Definitions, INRIA RR-6829. Names and numbers are
// theirs; values are those of the package `ioh` (within 1e-9, relative; tests/unit/worker/bbob_test.cpp).
#pragma once
#include <span>

namespace dlrun::worker::bbob {

inline constexpr int kFunctions = 24;
inline constexpr std::size_t kLeastDimensions = 2;

/// The value at x of one instance of a function. REQUIRES: id from 1 to kFunctions, instance at least 1, at least two
/// coordinates.
double value(int id, int instance, std::span<const double> x);
/// The least value of an instance.
double least_value(int id, int instance);

}  // namespace dlrun::worker::bbob
