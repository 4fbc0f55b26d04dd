// SPDX-License-Identifier: Apache-2.0
#include "statistics/stepwise.hpp"

#include <algorithm>

#include "statistics/contributions.hpp"

namespace dlrun::statistics {

namespace {

bool is_decided(const SeenCells& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.has_value(); });
}

bool is_unstable(const SeenCells& cells) {
  const auto failed = std::count_if(cells.begin(), cells.end(), [](const auto& cell) { return !*cell; });
  return double(failed) > kUnstable * double(cells.size());
}

/// nullopt: no replicate measured both. REQUIRES: both are decided.
std::optional<double> mean_gain(const SeenCells& before, const SeenCells& after, bool maximize) {
  double sum = 0;
  int pairs = 0;
  for (std::size_t r = 0; r < before.size(); ++r) {
    if (!*before[r] || !*after[r]) continue;
    sum += **after[r] - **before[r];
    ++pairs;
  }
  if (pairs == 0) return std::nullopt;
  return (maximize ? 1 : -1) * sum / pairs;
}

/// Steps that can come next, in the order of the components.
std::vector<Step> next_steps(const StepwiseRules& rules, OffSet at) {
  std::vector<Step> out;
  for (int i = 0; i < rules.components; ++i) {
    const OffSet bit = OffSet(1) << i, after = at ^ bit;
    const bool is_left = ((at & bit) != 0) == rules.puts_back;
    if (is_left && rules.variants.contains(after)) out.push_back({i, at, after});
  }
  return out;
}

std::optional<Step> best(const std::vector<Step>& steps, const StepwiseRules& rules,
                         const std::vector<SeenCells>& seen) {
  std::optional<Step> found;
  for (Step step : steps) {
    const SeenCells &before = seen[rules.variants.at(step.before)], &after = seen[rules.variants.at(step.after)];
    const auto gain = mean_gain(before, after, rules.maximize);
    if (!gain || is_unstable(after)) continue;
    step.gain = *gain;
    if (!found || step.gain > found->gain) found = step;
  }
  return found;
}

}  // namespace

Stepwise stepwise(const StepwiseRules& rules, const std::vector<SeenCells>& seen) {
  Stepwise out;
  if (rules.puts_back) out.at = (OffSet(1) << rules.components) - 1;
  while (true) {
    const std::vector<Step> steps = next_steps(rules, out.at);
    std::vector<OffSet> needed{out.at};
    for (const Step& step : steps) needed.push_back(step.after);
    const auto is_over = [&](OffSet set) { return is_decided(seen[rules.variants.at(set)]); };
    if (!std::all_of(needed.begin(), needed.end(), is_over)) {
      out.open = needed;
      return out;
    }
    const auto step = best(steps, rules, seen);
    if (steps.empty() || !step) {
      out.end = steps.empty() ? "no step is left" : "no step that is left was measured often enough";
      return out;
    }
    if (rules.tolerance && step->gain < -*rules.tolerance) {
      out.end = "every step that is left would lose more than may be lost";
      return out;
    }
    out.steps.push_back(*step);
    out.at = step->after;
  }
}

}  // namespace dlrun::statistics
