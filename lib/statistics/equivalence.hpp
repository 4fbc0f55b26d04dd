// SPDX-License-Identifier: Apache-2.0
// Evidence that an effect is too small to matter: two one-sided tests (Schuirmann 1987; Lakens 2017).
#pragma once
#include "statistics/paired.hpp"

namespace dlrun::statistics {

/// The larger p of "the effect is above -rope" and "below rope": below alpha exactly where the interval of level
/// 1 - 2 alpha lies inside. rope: the region of practical equivalence is [-rope, rope], in units of the metric; 0: 1.
double equivalence_p(const Effect& effect, double rope);

}  // namespace dlrun::statistics
