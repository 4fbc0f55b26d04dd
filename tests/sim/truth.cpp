// SPDX-License-Identifier: Apache-2.0
#include "truth.hpp"

#include <algorithm>
#include <cmath>

#include "statistics/sequential.hpp"
#include "util/random.hpp"

namespace dlrun::sim {

namespace {

using statistics::Cells;
using statistics::Verdict;

/// A study's seeds and runs.
class Runs {
 public:
  Runs(std::uint64_t seed, int study, int replicates) : stream_(seed, {"truth", std::to_string(study)}) {
    for (int r = 0; r < replicates; ++r) shared_.push_back(std::sqrt(0.5) * stream_.normal());
  }
  Cells variant(double effect) {
    Cells cells;
    for (const double seed : shared_) cells.emplace_back(75 - effect + seed + std::sqrt(0.5) * stream_.normal());
    return cells;
  }

 private:
  RandomStream stream_;
  std::vector<double> shared_;
};

statistics::AnalysisOptions analysis_with(double rope) {
  statistics::AnalysisOptions options;
  options.rope = rope;
  return options;
}

bool is_called(Verdict verdict) { return verdict == Verdict::helps || verdict == Verdict::hurts; }

void count_effect(const statistics::Contribution& c, Truth& sums) {
  sums.found += c.verdict == Verdict::helps;
  sums.below_alpha += c.p < 0.05;
  sums.wrong_way += c.verdict == Verdict::hurts || c.verdict == Verdict::negligible;
}

void count_interaction(Runs& runs, const Cells& base, const std::vector<Cells>& variants, const TruthOptions& o,
                       Truth& sums) {
  if (o.redundant < 2) return;
  const Cells both = runs.variant(o.effect);
  const auto first = std::size_t(o.informative);
  const auto found =
      statistics::interactions({{&base, &variants[first], &variants[first + 1], &both}}, analysis_with(0));
  sums.interaction += found[0].p < 0.05 && found[0].effect->mean < 0;
}

void count_study(int study, const TruthOptions& o, Truth& sums) {
  Runs runs(o.seed, study, o.replicates);
  const Cells base = runs.variant(0);
  std::vector<Cells> variants;
  const int all = o.informative + o.redundant + o.noise;
  for (int i = 0; i < all; ++i) variants.push_back(runs.variant(i < o.informative ? o.effect : 0));
  const auto found = statistics::contributions(base, variants, analysis_with(o.rope));
  bool is_wrong = false;
  for (int i = 0; i < all; ++i) {
    const auto& c = found[std::size_t(i)];
    const double truth = i < o.informative ? o.effect : 0;
    sums.covered += c.effect->low <= truth && truth <= c.effect->high;
    if (i < o.informative) count_effect(c, sums);
    if (i >= o.informative) sums.negligible += c.verdict == Verdict::negligible;
    is_wrong = is_wrong || (i >= o.informative && is_called(c.verdict));
  }
  sums.false_positive += is_wrong;
  count_interaction(runs, base, variants, o, sums);
}

/// Replicates until each is settled, as many as the last look where it never is.
int settled_after(const Cells& base, const Cells& variant, const statistics::SequentialRules& rules) {
  for (const int look : rules.analysis.looks.at) {
    const Cells b(base.begin(), base.begin() + look), v(variant.begin(), variant.begin() + look);
    if (statistics::standings(b, {v}, rules)[0] != statistics::Standing::go_on) return look;
  }
  return rules.analysis.looks.at.back();
}

}  // namespace

Truth simulate(const TruthOptions& o) {
  Truth sums;
  for (int study = 0; study < o.studies; ++study) count_study(study, o, sums);
  const double studies = o.studies, useful = studies * std::max(1, o.informative);
  const double idle = studies * std::max(1, o.redundant + o.noise);
  const double all = studies * (o.informative + o.redundant + o.noise);
  return {sums.false_positive / studies, sums.found / useful, sums.below_alpha / useful, sums.negligible / idle,
          sums.wrong_way / useful,       sums.covered / all,  sums.interaction / studies};
}

namespace {

/// What the report of a study says at its end, of variants that stopped where they were settled.
bool is_any_reported(const Cells& base, const std::vector<Cells>& variants,
                     const statistics::AnalysisOptions& analysis) {
  const auto found = statistics::contributions(base, variants, analysis);
  return std::any_of(found.begin(), found.end(), [](const auto& c) { return is_called(c.verdict); });
}

}  // namespace

SequentialTruth simulate_looks(const SequentialOptions& o) {
  statistics::AnalysisOptions analysis = analysis_with(o.rope);
  analysis.looks = o.looks;
  const auto rules = statistics::sequential_rules(analysis, o.family);
  SequentialTruth sums;
  for (int study = 0; study < o.studies; ++study) {
    Runs runs(o.seed, study, o.looks.at.back());
    const Cells base = runs.variant(0);
    bool is_any = false;
    std::vector<Cells> trained;
    for (int v = 0; v < o.family; ++v) {
      const Cells variant = runs.variant(o.effect);
      const auto standing = statistics::standings(base, {variant}, rules)[0];
      is_any = is_any || standing == statistics::Standing::helps || standing == statistics::Standing::hurts;
      sums.negligible += standing == statistics::Standing::negligible;
      const int count = settled_after(base, variant, rules);
      trained.emplace_back(variant.begin(), variant.begin() + count);
      sums.replicates += count;
    }
    sums.called += is_any;
    sums.reported += o.reports && is_any_reported(base, trained, analysis);
  }
  const double variants = double(o.studies) * o.family;
  return {sums.called / o.studies, sums.negligible / variants, sums.replicates / variants, sums.reported / o.studies};
}

}  // namespace dlrun::sim
