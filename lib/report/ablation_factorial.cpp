// SPDX-License-Identifier: Apache-2.0
// Results of designs with combinations of components only: the table of variance, and shares over all orders.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/ablation.hpp"
#include "statistics/anova.hpp"
#include "statistics/precision.hpp"
#include "statistics/student.hpp"

namespace dlrun::report {

namespace {

constexpr std::size_t kMostComponents = 6;  // 64 variants

std::vector<int> levels_of(const AblationStudy& study, const AblationVariant& variant) {
  std::vector<int> levels;
  for (const std::string& component : study.components) {
    const auto& off = variant.components;
    levels.push_back(std::find(off.begin(), off.end(), component) == off.end() ? 1 : 0);
  }
  return levels;
}

/// Observations of measured replicates; in the direction in which more is better.
std::vector<statistics::Observation> observations_of(const AblationStudy& study) {
  std::vector<statistics::Observation> all;
  for (const AblationVariant& variant : study.variants) {
    for (std::size_t r = 0; r < study.seeds.size(); ++r) {
      const auto& metric = variant.cells[r].metric;
      if (metric) all.push_back({levels_of(study, variant), int(r), study.maximize ? *metric : -*metric});
    }
  }
  return all;
}

/// The variant with each subset of components that are there, by its bits; none where one is missing or collapsed.
std::vector<const AblationVariant*> variants_by_subset(const AblationStudy& study) {
  const std::size_t k = study.components.size();
  if (k == 0 || k > kMostComponents) return {};
  std::vector<const AblationVariant*> variants;
  for (std::size_t on = 0; on < std::size_t(1) << k; ++on) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < k; ++i) {
      if ((on >> i & 1U) != 0) names.push_back(study.components[i]);
    }
    const AblationVariant* variant = study.with_only(names);
    if (variant == nullptr || study.is_collapsed(*variant)) return {};
    variants.push_back(variant);
  }
  return variants;
}

/// Mean metric of each variant over the replicates that all of them measured; a mean of others has their luck in it.
struct CommonMeans {
  std::vector<double> means;
  std::size_t replicates = 0;
};

CommonMeans common_means(const AblationStudy& study, const std::vector<const AblationVariant*>& variants) {
  CommonMeans out{std::vector<double>(variants.size()), 0};
  for (std::size_t r = 0; r < study.seeds.size(); ++r) {
    if (!std::all_of(variants.begin(), variants.end(), [&](auto* one) { return bool(one->cells[r].metric); })) continue;
    ++out.replicates;
    for (std::size_t i = 0; i < variants.size(); ++i) out.means[i] += *variants[i]->cells[r].metric;
  }
  for (double& mean : out.means) mean *= (study.maximize ? 1 : -1) / double(std::max<std::size_t>(out.replicates, 1));
  return out;
}

double factorial(int n) { return std::tgamma(n + 1.0); }

/// Shapley (1953): the mean over all orders of what a component adds when it comes.
double shapley(const std::vector<double>& means, std::size_t component, int k) {
  double sum = 0;
  for (std::size_t on = 0; on < means.size(); ++on) {
    if ((on >> component & 1U) != 0) continue;
    const int size = __builtin_popcountll(on);
    const double weight = factorial(size) * factorial(k - size - 1) / factorial(k);
    sum += weight * (means[on | std::size_t(1) << component] - means[on]);
  }
  return sum;
}

}  // namespace

Table variance_table(const AblationStudy& study) {
  const bool claims_more = study.claims != "split" || study.analysis.test_share > 0;
  Table table{claims_more
                  ? "analysis of variance, the replicate as block, of these runs alone: its p know neither other "
                    "examples nor what splits share"
                  : "analysis of variance, the replicate as block",
              {"term", "sum_of_squares", "degrees", "f", "p", "share", "effect", "low", "high"},
              {}};
  const auto observations = observations_of(study);
  if (study.plan.section.design != "factorial") return table;
  if (std::any_of(study.variants.begin(), study.variants.end(), [&](auto& v) { return study.is_collapsed(v); }))
    return table;
  if (observations.size() < 2 * study.components.size() + 2) return table;
  const auto rows = statistics::anova(study.components, observations);
  const int degrees = rows.back().degrees;
  if (degrees < 1) return table;
  const double t = statistics::t_quantile((1 + study.analysis.level) / 2, degrees);
  for (const statistics::AnovaTerm& row : rows) {
    const bool is_residual = &row == &rows.back(), has_effect = row.standard_error > 0;
    const auto end = [&](double side) {
      return has_effect ? Json(row.effect + side * t * row.standard_error) : Json();
    };
    table.rows.push_back({row.name, row.sum_of_squares, row.degrees, is_residual ? Json() : Json(row.f),
                          is_residual ? Json() : Json(row.p), is_residual ? Json() : Json(row.share),
                          has_effect ? Json(row.effect) : Json(), end(-1), end(1)});
  }
  return table;
}

Table shapley_table(const AblationStudy& study) {
  Table table{"shares over all orders (Shapley)", {"component", "share"}, {}};
  const auto [means, replicates] = common_means(study, variants_by_subset(study));
  if (means.empty() || replicates == 0 || study.components.size() < 2) return table;
  if (replicates < study.seeds.size())
    table.title +=
        fmt::format(", of the {} of {} replicates that all variants measured", replicates, study.seeds.size());
  const int k = int(study.components.size());
  double largest = 0;
  for (const double mean : means) largest = std::max(largest, std::abs(mean));
  const auto add = [&](const std::string& name, double share) {
    table.rows.push_back({name, figure(statistics::at_precision(share, largest))});
  };
  for (std::size_t i = 0; i < study.components.size(); ++i) add(study.components[i], shapley(means, i, k));
  add("all together", means.back() - means.front());
  return table;
}

}  // namespace dlrun::report
