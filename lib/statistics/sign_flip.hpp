// SPDX-License-Identifier: Apache-2.0
// The randomisation test of paired differences (Fisher, The Design of Experiments, 1935, section 21).
#pragma once
#include <vector>

namespace dlrun::statistics {

inline constexpr std::size_t kMostFlipped = 16;  ///< differences of which all signs are tried
inline constexpr int kFlips = 20'000;            ///< signs drawn beyond

/// Part of the ways to sign the differences that give a mean as far from 0, the given one among them: exact up to
/// kMostFlipped, of kFlips drawn ones beyond (always the same ones). The least it can say is 2 / 2^n.
/// REQUIRES: differences are finite.
double sign_flip_p(const std::vector<double>& differences);

}  // namespace dlrun::statistics
