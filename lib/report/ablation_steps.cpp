// SPDX-License-Identifier: Apache-2.0
// A path from one configuration to another, or an elimination: what each step bought.
#include <fmt/format.h>

#include <algorithm>

#include "ablation/rounds.hpp"
#include "report/ablation.hpp"
#include "report/ablation_examples.hpp"
#include "statistics/precision.hpp"
#include "statistics/summary.hpp"

namespace dlrun::report {

namespace {

using statistics::Cells;
using statistics::Stepwise;

std::vector<statistics::SeenCells> seen_of(const AblationStudy& study) {
  std::vector<statistics::SeenCells> seen;
  for (const AblationVariant& variant : study.variants) {
    statistics::SeenCells& cells = seen.emplace_back();
    for (const AblationCell& cell : variant.cells) {
      cells.push_back(cell.is_decided ? std::make_optional(cell.metric) : std::nullopt);
    }
  }
  return seen;
}

statistics::StepwiseRules rules_of(const AblationStudy& study) {
  const auto number = [&](const std::string& id) -> std::optional<std::size_t> {
    const auto found = std::find_if(study.variants.begin(), study.variants.end(),
                                    [&](const AblationVariant& variant) { return variant.id == id; });
    if (found == study.variants.end()) return std::nullopt;
    return std::size_t(found - study.variants.begin());
  };
  return ablation::stepwise_rules(study.plan, study.maximize, number);
}

bool is_given(const AblationStudy& study) { return !study.plan.has_rounds(); }

/// Steps that the study took; of a given order all.
Stepwise taken(const AblationStudy& study, const statistics::StepwiseRules& rules) {
  if (is_given(study)) return {ablation::given_steps(rules.components)};
  return statistics::stepwise(rules, seen_of(study));
}

/// Replicates that every variant on the way measured.
std::vector<std::size_t> common_replicates(const std::vector<Judged>& steps, std::size_t count) {
  std::vector<std::size_t> out;
  for (std::size_t r = 0; r < count; ++r) {
    const bool is_there = std::all_of(steps.begin(), steps.end(), [&](const Judged& step) {
      return step.with->cells[r].metric && step.without->cells[r].metric;
    });
    if (is_there) out.push_back(r);
  }
  return out;
}

Cells cells_at(const AblationVariant& variant, const std::vector<std::size_t>& replicates) {
  Cells cells;
  for (const std::size_t r : replicates) cells.push_back(variant.cells[r].metric);
  return cells;
}

/// Judged over the replicates that all variants on the way measured; more than a fifth may have failed in its own.
statistics::Comparison comparison_of(const AblationStudy& study, const AblationVariant& with,
                                     const AblationVariant& without, const std::vector<std::size_t>& replicates) {
  return {cells_at(with, replicates), cells_at(without, replicates), false,
          gains_of(study, {{&with, 1}, {&without, -1}}, replicates),
          statistics::is_unstable(cells_of(with)) || statistics::is_unstable(cells_of(without))};
}

/// Replicates in which every variant on the way has ended, and one of them failed.
int lost_of(const std::vector<Judged>& steps, std::size_t count) {
  int ended = 0;
  for (std::size_t r = 0; r < count; ++r) {
    const bool is_over = std::all_of(steps.begin(), steps.end(), [&](const Judged& step) {
      return step.with->cells[r].is_decided && step.without->cells[r].is_decided;
    });
    ended += is_over ? 1 : 0;
  }
  return ended - int(common_replicates(steps, count).size());
}

std::vector<Json> row_of(const std::string& name, const std::string& verdict, const statistics::Contribution& found,
                         double metric, double sum) {
  const auto effect = found.effect.value_or(statistics::Effect());
  return {
      name,    figure(metric), figure(effect.mean), figure(effect.low), figure(effect.high), figure(found.p_corrected),
      verdict, effect.n,       figure(sum)};
}

double mean_at(const AblationVariant& variant, const std::vector<std::size_t>& replicates) {
  std::vector<double> values;
  for (const std::size_t r : replicates) values.push_back(*variant.cells[r].metric);
  return statistics::mean(values);
}

}  // namespace

std::vector<Judged> steps_of(const AblationStudy& study) {
  const statistics::StepwiseRules rules = rules_of(study);
  const ablation::Names& names = study.plan.steps.value().components;
  std::vector<Judged> steps;
  for (const statistics::Step& step : taken(study, rules).steps) {
    const AblationVariant &before = study.variants[rules.variants.at(step.before)],
                          &after = study.variants[rules.variants.at(step.after)];
    steps.push_back({names.at(std::size_t(step.component)),
                     rules.puts_back ? &after : &before,
                     rules.puts_back ? &before : &after,
                     {}});
  }
  const std::vector<std::size_t> replicates = common_replicates(steps, study.seeds.size());
  std::vector<statistics::Comparison> comparisons;
  for (const Judged& step : steps) comparisons.push_back(comparison_of(study, *step.with, *step.without, replicates));
  const auto found = statistics::contributions(comparisons, study.analysis);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].found = found[i];
    steps[i].found.lost = lost_of(steps, study.seeds.size());
  }
  return steps;
}

statistics::Contribution whole_of_steps(const AblationStudy& study, const std::vector<Judged>& steps) {
  if (steps.empty()) return {};
  const std::vector<std::size_t> replicates = common_replicates(steps, study.seeds.size());
  const bool puts_back = study.plan.puts_back();
  const AblationVariant &with = puts_back ? *steps.back().with : *steps.front().with,
                        &without = puts_back ? *steps.front().without : *steps.back().without;
  return statistics::contributions({comparison_of(study, with, without, replicates)}, study.analysis).at(0);
}

StepsSoFar steps_so_far(const AblationStudy& study) {
  const Stepwise steps = taken(study, rules_of(study));
  return {!steps.open.empty(), steps.steps.size(), steps.end};
}

Table steps_table(const AblationStudy& study, const std::vector<Judged>& steps) {
  const bool puts_back = study.plan.puts_back();
  const char* const order = is_given(study) ? "as given" : "the best of each round first";
  Table table{puts_back ? fmt::format("path, {}: what each change brought", order)
                        : "elimination, what mattered least first: what each component was worth",
              {puts_back ? "change" : "component", "metric", "contribution", "low", "high", "p_corrected", "verdict",
               "pairs", "sum"},
              {}};
  const std::vector<std::size_t> replicates = common_replicates(steps, study.seeds.size());
  if (replicates.size() < 2 || steps.empty()) return table;
  double sum = 0;
  for (const Judged& step : steps) {
    const AblationVariant& after = puts_back ? *step.with : *step.without;
    const double metric = mean_at(after, replicates);
    sum = statistics::at_precision(sum + (step.found.effect ? step.found.effect->mean : 0), metric);
    table.rows.push_back(row_of(study.name_of(step.component), verdict_of(study, step), step.found, metric, sum));
  }
  const statistics::Contribution all = whole_of_steps(study, steps);
  const AblationVariant& end = puts_back ? *steps.back().with : *steps.back().without;
  const char* const sum_of = steps_so_far(study).is_open ? "so far" : "all together";
  table.rows.push_back(row_of(sum_of, verdict_text(all, study.analysis), all, mean_at(end, replicates),
                              all.effect ? all.effect->mean : 0));
  return table;
}

}  // namespace dlrun::report
