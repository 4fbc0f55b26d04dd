// SPDX-License-Identifier: Apache-2.0
#include "statistics/contributions.hpp"

#include <algorithm>
#include <cmath>

#include "statistics/equivalence.hpp"
#include "statistics/precision.hpp"
#include "statistics/sign_flip.hpp"
#include "statistics/signed_rank.hpp"
#include "statistics/summary.hpp"
#include "util/error.hpp"

namespace dlrun::statistics {

namespace {

/// Replicates that both measured.
struct Complete {
  std::vector<double> base, variant;
  std::vector<std::size_t> replicates;  ///< numbers of such replicates from 0, ascending
  std::size_t known = 0;                ///< replicates that ended in both, lost ones among them
  int lost = 0;
};

Complete complete_pairs(const Cells& base, const Cells& variant) {
  Complete pairs;
  pairs.known = std::min(base.size(), variant.size());
  for (std::size_t r = 0; r < std::max(base.size(), variant.size()); ++r) {
    if (r < base.size() && r < variant.size() && base[r] && variant[r]) {
      pairs.base.push_back(*base[r]);
      pairs.variant.push_back(*variant[r]);
      pairs.replicates.push_back(r);
    } else if (r < variant.size()) {
      ++pairs.lost;
    }
  }
  return pairs;
}

/// Equal differences say of the lack of an effect what signs alone can, as they do of one. Looks take them for certain:
/// that is what they have settled variants by.
double negligible_p(const std::vector<double>& differences, const AnalysisOptions& options) {
  const auto effect = effect_of(differences, {options.level, options.test_share});
  if (!effect) return 1;
  const double p = equivalence_p(*effect, options.rope);
  return options.looks.at.empty() && effect->standard_error == 0 ? std::max(p, std::ldexp(1.0, -effect->n)) : p;
}

/// A test's p at all differences of the pairs (of metrics, or of examples) or, where a study looks, over each look that
/// the replicates have reached. A look at n has the pairs among the first n replicates, as it had when it was taken.
template <class Difference, class Test>
double p_of(const std::vector<Difference>& differences, const Complete& pairs, const AnalysisOptions& options,
            Test test) {
  if (options.looks.at.empty()) return test(differences, options);
  std::vector<double> p;
  for (const int look : options.looks.at) {
    if (std::size_t(look) > pairs.known) break;
    const auto end = std::lower_bound(pairs.replicates.begin(), pairs.replicates.end(), std::size_t(look));
    const auto count = std::min(end - pairs.replicates.begin(), std::ptrdiff_t(differences.size()));
    p.push_back(test({differences.begin(), differences.begin() + count}, options));
  }
  return sequential_p(p, options.looks.at, options.looks.boundary);
}

Contribution measured(const Complete& pairs, const AnalysisOptions& options) {
  Contribution out;
  out.lost = pairs.lost;
  if (pairs.base.empty()) return out;
  const std::vector<double> differences = gains(pairs.base, pairs.variant, options.maximize);
  out.metric = mean(pairs.variant);
  out.superiority = superiority(differences);
  out.correlation = correlation(pairs.base, pairs.variant);
  out.effect = effect_of(differences, {options.level, options.test_share});
  if (!out.effect) return out;
  out.p = p_of(differences, pairs, options, test_p);
  out.p_signs = sign_flip_p(differences);
  out.p_equivalence = p_of(differences, pairs, options, negligible_p);
  out.is_disputed = (out.effect->p < options.alpha) != (out.p_signs < options.alpha);
  return out;
}

double claimed_p(const std::vector<ExampleValues>& gains, const AnalysisOptions& options) {
  const auto claimed = claimed_effect(gains, options.level);
  return claimed ? claimed->effect.p : 1;
}

double claimed_negligible_p(const std::vector<ExampleValues>& gains, const AnalysisOptions& options) {
  const auto claimed = claimed_effect(gains, options.level);
  return claimed ? equivalence_p(claimed->effect, options.rope) : 1;
}

/// A claim about examples beyond these. A single example, or a single group of them, says nothing of others.
void claim(Contribution& out, const std::vector<ExampleValues>& gains, const Complete& pairs,
           const AnalysisOptions& options) {
  const auto claimed = claimed_effect(gains, options.level);
  if (!claimed) return out.effect.reset();
  out.effect = claimed->effect;
  out.luck = claimed->luck;
  out.p = p_of(gains, pairs, options, claimed_p);
  out.p_equivalence = p_of(gains, pairs, options, claimed_negligible_p);
  out.is_disputed = false;
}

void claim(Interaction& out, const std::vector<ExampleValues>& gains, const AnalysisOptions& options) {
  const auto claimed = claimed_effect(gains, options.level);
  out.effect = claimed ? std::optional(claimed->effect) : std::nullopt;
  out.p = claimed ? claimed->effect.p : 1;
}

bool is_ranked(const Contribution& c) { return c.effect && !c.is_unstable && !c.is_collapsed; }

/// Adjusted over those that `counts` says, the others keep 1.
template <class Item, class Counts>
void correct(std::vector<Item>& items, Correction correction, Counts counts) {
  std::vector<double> p;
  for (const Item& item : items) {
    if (counts(item)) p.push_back(item.p);
  }
  const std::vector<double> adjusted = corrected(p, correction);
  std::size_t next = 0;
  for (Item& item : items) item.p_corrected = counts(item) ? adjusted[next++] : 1;
}

/// An effect needs the chosen test, corrected, and an interval of level 1 - alpha that excludes 0.
Verdict verdict_of(const Contribution& c, double alpha) {
  if (c.is_unstable || c.is_collapsed) return Verdict::invalid;
  if (!c.effect) return Verdict::inconclusive;
  if (c.p_corrected < alpha && c.effect->p < alpha) return c.effect->mean > 0 ? Verdict::helps : Verdict::hurts;
  return c.p_equivalence < alpha ? Verdict::negligible : Verdict::inconclusive;
}

}  // namespace

PairedTest paired_test_named(const std::string& name) {
  if (name == "paired_t") return PairedTest::paired_t;
  if (name == "sign_flip") return PairedTest::sign_flip;
  if (name == "wilcoxon") return PairedTest::wilcoxon;
  throw Error(ErrorKind::usage, "there is no test '" + name + "'", "there are paired_t, sign_flip and wilcoxon");
}

std::vector<double> paired_gains(const Cells& base, const Cells& variant, bool maximize) {
  const Complete pairs = complete_pairs(base, variant);
  return gains(pairs.base, pairs.variant, maximize);
}

bool is_unstable(const Cells& cells) {
  const auto failed = double(std::count(cells.begin(), cells.end(), std::nullopt));
  return failed > kUnstable * double(cells.size());
}

double test_p(const std::vector<double>& differences, const AnalysisOptions& options) {
  if (options.test == PairedTest::sign_flip) return sign_flip_p(differences);
  if (options.test == PairedTest::wilcoxon) return wilcoxon_p(differences);
  const auto effect = effect_of(differences, {options.level, options.test_share});
  return effect ? effect->p : 1;
}

bool is_constant(const Cells& cells) {
  std::vector<double> values;
  for (const auto& cell : cells) {
    if (cell) values.push_back(*cell);
  }
  return values.size() >= 3 && std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; });
}

std::vector<Contribution> contributions(const std::vector<Comparison>& comparisons, const AnalysisOptions& options) {
  std::vector<Contribution> out;
  for (const Comparison& c : comparisons) {
    const Complete pairs = complete_pairs(c.with, c.without);
    out.push_back(measured(pairs, options));
    if (out.back().effect && !c.gains.empty()) claim(out.back(), c.gains, pairs, options);
    const bool is_still = options.constant_is_collapsed && (is_constant(c.with) || is_constant(c.without));
    out.back().is_collapsed = c.has_collapsed || is_still;
    out.back().is_unstable = c.is_unstable || is_unstable(c.without) || is_unstable(c.with);
  }
  correct(out, options.correction, is_ranked);
  for (Contribution& c : out) c.verdict = verdict_of(c, options.alpha);
  return out;
}

std::vector<Contribution> contributions(const Cells& base, const std::vector<Cells>& variants,
                                        const AnalysisOptions& options) {
  std::vector<Comparison> comparisons;
  comparisons.reserve(variants.size());
  for (const Cells& variant : variants) comparisons.push_back({base, variant});
  return contributions(comparisons, options);
}

namespace {

/// Differences of differences of one crossing, over the replicates that all four measured.
std::vector<double> differences_of(const Crossing& four, const AnalysisOptions& options, int& lost) {
  std::vector<double> differences;
  for (std::size_t r = 0; r < four.without_both->size(); ++r) {
    const auto at = [&](const Cells* cells) { return r < cells->size() ? (*cells)[r] : std::nullopt; };
    const auto whole = at(four.whole), i = at(four.without_first), j = at(four.without_second),
               ij = at(four.without_both);
    const bool is_complete = whole && i && j && ij;
    if (is_complete) {
      const double largest = std::max({std::abs(*whole), std::abs(*i), std::abs(*j), std::abs(*ij)});
      differences.push_back((options.maximize ? 1 : -1) * at_precision(*whole - *i - *j + *ij, largest));
    }
    lost += is_complete ? 0 : 1;
  }
  return differences;
}

bool is_invalid(const Crossing& four, const AnalysisOptions& options) {
  const Cells* const all[] = {four.whole, four.without_first, four.without_second, four.without_both};
  return four.has_collapsed || std::any_of(std::begin(all), std::end(all), [&](const Cells* cells) {
           return is_unstable(*cells) || (options.constant_is_collapsed && is_constant(*cells));
         });
}

}  // namespace

std::vector<Interaction> interactions(const std::vector<Crossing>& crossings, const AnalysisOptions& options) {
  std::vector<Interaction> out;
  for (const Crossing& four : crossings) {
    Interaction item{.is_invalid = is_invalid(four, options)};
    const std::vector<double> differences = differences_of(four, options, item.lost);
    if (!item.is_invalid) item.effect = effect_of(differences, {options.level, options.test_share});
    if (item.effect) item.p = test_p(differences, options);
    if (item.effect && !four.gains.empty()) claim(item, four.gains, options);
    out.push_back(item);
  }
  correct(out, options.correction, [](const Interaction& item) { return item.effect.has_value(); });
  return out;
}

}  // namespace dlrun::statistics
