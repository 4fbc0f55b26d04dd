// SPDX-License-Identifier: Apache-2.0
// Gamma numbers by a named stream, the same on every machine (Marsaglia, Tsang, ACM TOMS 2000).
#pragma once
#include "util/random.hpp"

namespace dlrun::data {

/// Logarithm of a Gamma(shape, 1) number: at a small shape the number itself is below every double. A shape below 1 is
/// made of Gamma(shape + 1) * U^(1 / shape), as there in section 6. REQUIRES: shape > 0.
double draw_log_gamma(double shape, RandomStream& stream);

}  // namespace dlrun::data
