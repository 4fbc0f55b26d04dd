// SPDX-License-Identifier: Apache-2.0
// P values of a family of comparisons, adjusted for their number.
#pragma once
#include <string>
#include <vector>

namespace dlrun::statistics {

enum class Correction { none, holm, benjamini_hochberg };

/// Holm, Scandinavian Journal of Statistics 1979: below alpha, one wrong rejection or more has probability alpha.
std::vector<double> holm(const std::vector<double>& p);

/// Benjamini and Hochberg, JRSS B 1995: of those below alpha, a share of alpha is expected to be wrong.
std::vector<double> benjamini_hochberg(const std::vector<double>& p);

/// Corrected p values, in the order given.
std::vector<double> corrected(const std::vector<double>& p, Correction correction);

/// "none", "holm", "bh". @throws Error(usage) with the names there are.
Correction correction_named(const std::string& name);

}  // namespace dlrun::statistics
