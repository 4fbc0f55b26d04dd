// SPDX-License-Identifier: Apache-2.0
// Verdict on a component, in a word.
#pragma once
#include <string_view>

namespace dlrun::statistics {

/// helps, hurts: its effect is other than 0, after correction. negligible: it is too small to matter.
/// inconclusive: neither is shown, more replicates may. invalid: base or variant did not train, so nothing is ranked.
enum class Verdict { helps, hurts, negligible, inconclusive, invalid };

constexpr std::string_view word(Verdict verdict) {
  constexpr std::string_view kWords[] = {"helps", "hurts", "negligible", "inconclusive", "invalid"};
  return kWords[int(verdict)];
}

}  // namespace dlrun::statistics
