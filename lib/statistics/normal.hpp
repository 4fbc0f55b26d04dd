// SPDX-License-Identifier: Apache-2.0
// The standard normal distribution, with the same bits on every x86-64 processor (util/arithmetic.hpp).
#pragma once

namespace dlrun::statistics {

/// P(Z <= z).
double normal_below(double z);

/// The z with P(Z <= z) = p, by Wichura's rational approximations: Algorithm AS 241, Applied Statistics 37 (1988),
/// PPND16. About 1 part in 10^16. REQUIRES: 1e-300 <= p <= 1; 1 gives infinity.
double normal_quantile(double p);

}  // namespace dlrun::statistics
