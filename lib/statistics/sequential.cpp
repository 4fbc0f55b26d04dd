// SPDX-License-Identifier: Apache-2.0
#include "statistics/sequential.hpp"

#include <algorithm>

namespace dlrun::statistics {

namespace {

Cells first(const Cells& cells, int count) { return {cells.begin(), cells.begin() + count}; }

/// A single variant, judged at one look as if it were the family's only one at alpha / family.
Standing at_look(const Cells& base, const Cells& variant, const AnalysisOptions& options, double level, int family) {
  const Contribution found = contributions(base, {variant}, options)[0];
  if (found.is_unstable || !found.effect) return Standing::go_on;
  if (found.p < options.alpha / family) return found.effect->mean > 0 ? Standing::helps : Standing::hurts;
  return found.p_equivalence < level ? Standing::negligible : Standing::go_on;
}

}  // namespace

std::vector<Standing> standings(const Cells& base, const std::vector<Cells>& variants, const SequentialRules& rules) {
  const Looks& looks = rules.analysis.looks;
  const std::vector<double> levels = nominal_levels(looks.at, looks.boundary, rules.analysis.alpha);
  std::vector<Standing> out(variants.size(), Standing::go_on);
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const std::size_t known = std::min(base.size(), variants[v].size());
    for (std::size_t i = 0; i < looks.at.size() && out[v] == Standing::go_on; ++i) {
      if (std::size_t(looks.at[i]) > known) break;
      out[v] =
          at_look(first(base, looks.at[i]), first(variants[v], looks.at[i]), rules.analysis, levels[i], rules.family);
    }
  }
  return out;
}

}  // namespace dlrun::statistics
