// SPDX-License-Identifier: Apache-2.0
// Contributions in few columns, and the replicates that would settle those that are not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/ablation_findings.hpp"
#include "statistics/student.hpp"

namespace dlrun::report {

namespace {

using statistics::Contribution;
using statistics::Verdict;

/// Twelve decimals, and more of numbers that are all far below 1.
int most_decimals(const std::vector<const Judged*>& all, double scale) {
  double largest = 0;
  for (const Judged* one : all) {
    if (one->found.effect)
      largest =
          std::max({largest, std::abs(scale * one->found.effect->low), std::abs(scale * one->found.effect->high)});
  }
  constexpr int kMost = 12, kOfDoubles = 300;
  return kMost + (largest > 0 ? std::clamp(-int(std::floor(std::log10(largest))), 0, kOfDoubles - kMost) : 0);
}

/// Decimals that show two digits of the narrowest interval's reach.
int decimals_for(const std::vector<const Judged*>& all, double scale) {
  constexpr int kWithoutSpread = 4;
  double least = 0;
  for (const Judged* one : all) {
    const double reach = one->found.effect ? scale * (one->found.effect->high - one->found.effect->low) / 2 : 0;
    if (reach > 0 && (least == 0 || reach < least)) least = reach;
  }
  return least == 0 ? kWithoutSpread : std::clamp(1 - int(std::floor(std::log10(least))), 0, most_decimals(all, scale));
}

/// Variance of a contribution that no number of replicates takes away: that of the examples which they share.
double lasting_variance(const Contribution& c, const statistics::AnalysisOptions& analysis) {
  if (c.luck) return std::max(0.0, c.luck->examples - c.luck->both);
  return analysis.test_share * c.effect->sd * c.effect->sd;
}

/// Half the interval of a contribution if it had n replicates.
double reach_at(int n, const Contribution& c, const statistics::AnalysisOptions& analysis) {
  const double now = c.effect->standard_error * c.effect->standard_error,
               lasting = std::min(now, lasting_variance(c, analysis)),
               variance = lasting + (now - lasting) * c.effect->n / n;
  return statistics::t_quantile((1 + analysis.level) / 2, std::max(n - 1.0, c.effect->degrees)) * std::sqrt(variance);
}

}  // namespace

std::optional<int> settling_replicates(const std::vector<const Judged*>& open,
                                       const statistics::AnalysisOptions& analysis) {
  int now = 2;
  for (const Judged* one : open) now = std::max(now, one->found.effect->n);
  const auto is_settled = [&](int n) {
    return std::all_of(open.begin(), open.end(),
                       [&](const Judged* one) { return reach_at(n, one->found, analysis) <= analysis.rope / 2; });
  };
  constexpr int kMost = 10'000;
  for (int n = now + 1; n <= kMost; n += std::max(1, n / 50)) {
    if (is_settled(n)) return n;
  }
  return std::nullopt;
}

Table short_table(const AblationStudy& study, const std::vector<Judged>& judged) {
  const Amounts amounts(study);
  Table table{fmt::format("contributions to {}{} (positive: {})", study.metric, amounts.is_share() ? ", in points" : "",
                          is_put_back(study) ? "better with it" : "the baseline is better"),
              {"component", "verdict", amounts.is_share() ? "points" : "contribution", "low", "high", "p_corrected"},
              {},
              Shape::whole};
  const std::vector<const Judged*> order = by_effect(judged);
  const int decimals = decimals_for(order, amounts.scale());
  for (const Judged* one : order) {
    const Contribution& c = one->found;
    std::vector<Json> row{study.name_of(one->component), verdict_of(study, *one)};
    if (!c.effect || c.verdict == Verdict::invalid) {
      row.insert(row.end(), 4, nullptr);
    } else {
      for (const double value : {c.effect->mean, c.effect->low, c.effect->high})
        row.push_back(to_decimals(amounts.scale() * value, decimals));
      row.emplace_back(c.p_corrected < 1e-4 ? "<0.0001" : fmt::format("{:.4f}", c.p_corrected));
    }
    table.rows.push_back(std::move(row));
  }
  constexpr std::size_t kBesideVerdict = 2;
  add_expected(table, order, kBesideVerdict);
  return table;
}

}  // namespace dlrun::report
