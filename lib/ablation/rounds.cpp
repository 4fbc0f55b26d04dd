// SPDX-License-Identifier: Apache-2.0
#include "ablation/rounds.hpp"

#include <algorithm>

namespace dlrun::ablation {

namespace {

statistics::OffSet set_of(const Names& off, const Names& components) {
  statistics::OffSet set = 0;
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (std::find(off.begin(), off.end(), components[i]) != off.end()) set |= statistics::OffSet(1) << i;
  }
  return set;
}

}  // namespace

statistics::StepwiseRules stepwise_rules(const Plan& plan, bool maximize, const NumberOf& number) {
  const Names& components = plan.steps.value().components;
  statistics::StepwiseRules rules{int(components.size()), plan.puts_back(), maximize};
  if (!rules.puts_back) rules.tolerance = plan.section.analysis.rope.value_or(0);
  const auto add = [&](const Names& off, const std::string& id) {
    if (const auto found = number(id)) rules.variants[set_of(off, components)] = *found;
  };
  for (const Variant& variant : plan.variants) add(variant.components, variant.id);
  for (const Duplicate& same : plan.duplicates) add(same.components, same.of);
  return rules;
}

std::vector<statistics::Step> given_steps(int components) {
  std::vector<statistics::Step> out;
  statistics::OffSet at = (statistics::OffSet(1) << components) - 1;
  for (int i = 0; i < components; ++i) {
    const statistics::OffSet after = at & ~(statistics::OffSet(1) << i);
    out.push_back({i, at, after});
    at = after;
  }
  return out;
}

}  // namespace dlrun::ablation
