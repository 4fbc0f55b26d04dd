// SPDX-License-Identifier: Apache-2.0
// Gallagher's Gaussian peaks, functions 21 (101 peaks) and 22 (21 peaks).
#pragma once
#include "worker/bbob/instance.hpp"

namespace dlrun::worker::bbob {

double gallagher_101(const Instance& of, const Vector& x);
double gallagher_21(const Instance& of, const Vector& x);

}  // namespace dlrun::worker::bbob
