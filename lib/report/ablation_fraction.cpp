// SPDX-License-Identifier: Apache-2.0
// Results of a fraction of all combinations: effects averaged over its runs, each with its aliases.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/ablation.hpp"
#include "report/ablation_examples.hpp"
#include "report/aliases.hpp"
#include "statistics/summary.hpp"

namespace dlrun::report {

namespace {

using ablation::Names;

bool holds(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_off(const AblationVariant& variant, const std::string& component) {
  return holds(variant.components, component);
}

/// Mean over the runs in which exactly `off` of `components` are off, by replicate; nullopt where one of all runs of
/// the fraction failed in it, for only all together are balanced.
statistics::Cells mean_of_runs(const AblationStudy& study, const Names& components, const Names& off) {
  statistics::Cells out;
  for (std::size_t r = 0; r < study.seeds.size(); ++r) {
    const auto is_open = [&](const AblationVariant& v) { return !v.cells[r].is_decided; };
    const auto is_lost = [&](const AblationVariant& v) { return !v.cells[r].metric; };
    if (std::any_of(study.variants.begin(), study.variants.end(), is_open)) continue;
    if (std::any_of(study.variants.begin(), study.variants.end(), is_lost)) {
      out.emplace_back(std::nullopt);
      continue;
    }
    std::vector<double> values;
    for (const AblationVariant& variant : study.variants) {
      const bool is_one = std::all_of(components.begin(), components.end(), [&](const std::string& component) {
        return is_off(variant, component) == holds(off, component);
      });
      if (is_one) values.push_back(*variant.cells[r].metric);
    }
    out.emplace_back(statistics::mean(values));
  }
  return out;
}

/// Effect of the components together, averaged over the other ones: of one the mean with it less the mean without, of
/// two both means of an interaction's four runs.
std::vector<Share> contrast_of(const AblationStudy& study, const Names& components) {
  const double runs = double(study.variants.size()) / double(std::size_t(1) << components.size());
  std::vector<Share> contrast;
  for (const AblationVariant& variant : study.variants) {
    const auto off = std::count_if(components.begin(), components.end(),
                                   [&](const std::string& name) { return holds(variant.components, name); });
    contrast.push_back({&variant, (off % 2 == 0 ? 1 : -1) / runs});
  }
  return contrast;
}

std::string text_of(const Names& effect) { return fmt::format("{}", fmt::join(effect, " x ")); }

}  // namespace

std::vector<Judged> main_effects(const AblationStudy& study) {
  std::vector<statistics::Comparison> comparisons;
  std::vector<Judged> all;
  const AblationVariant& base = study.variants.front();
  for (const std::string& component : study.components) {
    comparisons.push_back({mean_of_runs(study, {component}, {}), mean_of_runs(study, {component}, {component}),
                           study.is_collapsed(base), gains_of(study, contrast_of(study, {component}))});
    all.push_back({component, &base, &base, {}});
  }
  const auto found = statistics::contributions(comparisons, study.analysis);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].found = found[i];
  return all;
}

std::vector<JudgedPair> aliased_interactions(const AblationStudy& study) {
  std::vector<JudgedPair> out;
  std::vector<PairRuns> runs;
  const bool has_collapsed = study.is_collapsed(study.variants.front());
  const auto& fraction = study.plan.fraction;
  for (const ablation::NamedAlias& alias : fraction ? fraction->aliases : std::vector<ablation::NamedAlias>()) {
    if (alias.effect.size() != 2) continue;
    const std::string &a = alias.effect[0], &b = alias.effect[1];
    const auto mean = [&](const Names& off) { return mean_of_runs(study, {a, b}, off); };
    runs.push_back(
        {{mean({}), mean({a}), mean({b}), mean({a, b})}, has_collapsed, gains_of(study, contrast_of(study, {a, b}))});
    out.push_back({a, b, {}});
  }
  return judged(std::move(out), runs, study.analysis);
}

std::vector<std::string> aliases_of(const AblationStudy& study, const std::vector<std::string>& effect) {
  std::vector<std::string> out;
  const auto& fraction = study.plan.fraction;
  for (const ablation::NamedAlias& alias : fraction ? fraction->aliases : std::vector<ablation::NamedAlias>()) {
    if (alias.effect != effect) continue;
    for (const Names& other : alias.with) {
      if (other.size() == 2)
        out.push_back(fmt::format("`{}` and `{}`", study.name_of(other[0]), study.name_of(other[1])));
    }
  }
  return out;
}

Table alias_table(const ablation::Plan& plan) {
  Table table{"aliases: what is measured together", {"effect", "cannot be told from"}, {}};
  if (!plan.fraction) return table;
  for (const ablation::NamedAlias& alias : plan.fraction->aliases) {
    Names others;
    for (const Names& other : alias.with) others.push_back(text_of(other));
    table.rows.push_back({text_of(alias.effect), fmt::format("{}", fmt::join(others, ", "))});
  }
  return table;
}

}  // namespace dlrun::report
