// SPDX-License-Identifier: Apache-2.0
#include "statistics/sequential.hpp"

#include <algorithm>

namespace dlrun::statistics {

namespace {

Cells first(const Cells& cells, int count) { return {cells.begin(), cells.begin() + count}; }

AnalysisOptions at_one_look(AnalysisOptions options) {
  options.looks.at.clear();
  return options;
}

Standing at_look(const Cells& base, const Cells& variant, std::size_t look, const SequentialRules& rules) {
  const Contribution found = contributions(base, {variant}, at_one_look(rules.analysis))[0];
  if (found.is_unstable || found.is_collapsed || !found.effect) return Standing::go_on;
  if (found.p < rules.effect_levels[look]) return found.effect->mean > 0 ? Standing::helps : Standing::hurts;
  return found.p_equivalence < rules.negligible_levels[look] ? Standing::negligible : Standing::go_on;
}

Standing standing_of(const Cells& base, const Cells& variant, const SequentialRules& rules) {
  const std::vector<int>& looks = rules.analysis.looks.at;
  const std::size_t known = std::min(base.size(), variant.size());
  for (std::size_t i = 0; i < looks.size() && std::size_t(looks[i]) <= known; ++i) {
    const Standing standing = at_look(first(base, looks[i]), first(variant, looks[i]), i, rules);
    if (standing != Standing::go_on) return standing;
  }
  return Standing::go_on;
}

}  // namespace

SequentialRules sequential_rules(const AnalysisOptions& analysis, int family) {
  const Looks& looks = analysis.looks;
  return {analysis, nominal_levels(looks.at, looks.boundary, analysis.alpha / family),
          nominal_levels(looks.at, looks.boundary, analysis.alpha)};
}

std::vector<Standing> standings(const Cells& base, const std::vector<Cells>& variants, const SequentialRules& rules) {
  std::vector<Standing> out;
  out.reserve(variants.size());
  for (const Cells& variant : variants) out.push_back(standing_of(base, variant, rules));
  return out;
}

}  // namespace dlrun::statistics
