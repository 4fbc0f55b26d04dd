// SPDX-License-Identifier: Apache-2.0
#include "statistics/sequential.hpp"

#include <algorithm>
#include <cmath>

#include "statistics/equivalence.hpp"
#include "util/random.hpp"

namespace dlrun::statistics {

namespace {

Cells first(const Cells& cells, int count) { return {cells.begin(), cells.begin() + count}; }

bool is_judged(const Cells& cells, const AnalysisOptions& analysis) {
  return !is_unstable(cells) && !(analysis.constant_is_collapsed && is_constant(cells));
}

Looked at_look(const Cells& base, const Cells& variant, std::size_t i, const SequentialRules& rules) {
  Looked out{.look = rules.analysis.looks.at[i],
             .level = rules.effect_levels[i],
             .negligible_level = rules.negligible_levels[i]};
  if (!is_judged(base, rules.analysis) || !is_judged(variant, rules.analysis)) return out;
  const std::vector<double> differences = paired_gains(base, variant, rules.analysis.maximize);
  const auto effect = effect_of(differences, {rules.analysis.level, rules.analysis.test_share});
  if (!effect) return out;
  out.p = test_p(differences, rules.analysis);
  out.p_equivalence = equivalence_p(*effect, rules.analysis.rope);
  if (out.p_equivalence < out.negligible_level) out.standing = Standing::negligible;
  if (out.p < out.level) out.standing = effect->mean > 0 ? Standing::helps : Standing::hurts;
  return out;
}

}  // namespace

SequentialRules sequential_rules(const AnalysisOptions& analysis, int family) {
  const Looks& looks = analysis.looks;
  return {analysis, nominal_levels(looks.at, looks.boundary, analysis.alpha / family),
          nominal_levels(looks.at, looks.boundary, analysis.alpha)};
}

std::vector<int> default_looks(int most) {
  constexpr int kFirst = 4, kOften = 12;
  std::vector<int> looks;
  for (int look = kFirst; look < most; look += look < kOften ? 2 : 4) looks.push_back(look);
  looks.push_back(most);
  return looks;
}

Looked looked_at(const Cells& base, const Cells& variant, const SequentialRules& rules) {
  const std::vector<int>& looks = rules.analysis.looks.at;
  const std::size_t known = std::min(base.size(), variant.size());
  Looked last;
  for (std::size_t i = 0; i < looks.size() && std::size_t(looks[i]) <= known; ++i) {
    last = at_look(first(base, looks[i]), first(variant, looks[i]), i, rules);
    if (last.standing != Standing::go_on) break;
  }
  return last;
}

std::vector<Standing> standings(const Cells& base, const std::vector<Cells>& variants, const SequentialRules& rules) {
  std::vector<Standing> out;
  out.reserve(variants.size());
  for (const Cells& variant : variants) out.push_back(looked_at(base, variant, rules).standing);
  return out;
}

Outlook outlook(const SequentialRules& rules, double d_z) {
  constexpr int kStudies = 2'000;
  const std::vector<int>& looks = rules.analysis.looks.at;
  const double share = rules.analysis.test_share;
  RandomStream stream(0, {"statistics", "outlook"});
  double replicates = 0, found = 0;
  for (int study = 0; study < kStudies; ++study) {
    std::vector<double> differences;
    const double mean = share > 0 ? d_z + std::sqrt(share) * stream.normal() : d_z;  // with the luck that all share
    bool is_found = false;
    for (std::size_t i = 0; i < looks.size() && !is_found; ++i) {
      while (int(differences.size()) < looks[i]) differences.push_back(mean + stream.normal());
      is_found = effect_of(differences, {rules.analysis.level, share})->p < rules.effect_levels[i];
    }
    replicates += double(differences.size());
    found += is_found;
  }
  return {replicates / kStudies, found / kStudies};
}

}  // namespace dlrun::statistics
