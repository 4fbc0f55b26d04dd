// SPDX-License-Identifier: Apache-2.0
// Components that each variant leaves out.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace dlrun::ablation {

/// Components that are off, ascending; none: the baseline.
using Off = std::vector<std::size_t>;

/// The variants of a design over `count` components, without the baseline, each once.
/// loco: n; pairwise: n + n(n-1)/2; factorial: 2^n - 1, in the order of binary numbers; add_one_in: all off, then all
/// but one. @throws Refused E250 where a factorial of more than six components is asked for.
std::vector<Off> variants_of(const std::string& design, std::size_t count);

}  // namespace dlrun::ablation
