// SPDX-License-Identifier: Apache-2.0
// Wilcoxon's signed-rank test of paired differences (Wilcoxon, Biometrics Bulletin 1945).
#pragma once
#include <cstddef>
#include <vector>

namespace dlrun::statistics {

/// Twice the ranks of the sizes of the first `count` differences, so that shared ranks are whole; 0 for differences of
/// 0, whose half counts on either side.
std::vector<int> double_ranks(const std::vector<double>& differences, std::size_t count);

/// P(W+ >= w) where every difference is as likely positive as negative, given their sizes: small where they are mostly
/// positive. Ties share their mean rank; half of a zero's rank counts as positive. Exact up to 100 differences, by the
/// normal distribution beyond. REQUIRES: differences are finite.
double signed_rank_p(const std::vector<double>& differences);

enum class RankMethod { automatic, exact, asymptotic };

/// Two-sided: are the differences symmetric about 0? Zeros are left out, ties share their mean rank; no correction for
/// continuity. `exact` counts all signs, ties too; `automatic` does so up to 50 differences.
/// Differs from SciPy's, which leaves ties among more than 13 differences to the normal distribution.
double wilcoxon_p(const std::vector<double>& differences, RankMethod method = RankMethod::automatic);

}  // namespace dlrun::statistics
