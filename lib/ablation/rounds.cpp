// SPDX-License-Identifier: Apache-2.0
#include "ablation/rounds.hpp"

#include <algorithm>

namespace dlrun::ablation {

namespace {

statistics::OffSet set_of(const Json& off, const Json& components) {
  statistics::OffSet set = 0;
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (std::find(off.begin(), off.end(), components[i]) != off.end()) set |= statistics::OffSet(1) << i;
  }
  return set;
}

}  // namespace

bool has_steps(const Json& derived) { return derived.is_object() && derived.contains("steps"); }

bool has_rounds(const Json& derived) { return has_steps(derived) && derived["steps"].at("order") == "greedy"; }

statistics::StepwiseRules stepwise_rules(const Json& section, const Json& derived, bool maximize,
                                         const NumberOf& number) {
  const Json& steps = derived.at("steps");
  const Json& components = steps.at("components");
  statistics::StepwiseRules rules{int(components.size()), steps.at("puts_back").get<bool>(), maximize};
  const Json rope = section.value("analysis", Json::object()).value("rope", Json());
  if (!rules.puts_back) rules.tolerance = rope.is_number() ? rope.get<double>() : 0.0;
  const auto add = [&](const Json& variant, const Json& id) {
    const auto found = number(id.get<std::string>());
    if (found) rules.variants[set_of(variant.at("components"), components)] = *found;
  };
  for (const Json& variant : derived.at("variants")) add(variant, variant.at("id"));
  for (const Json& same : derived.value("duplicates", Json::array())) add(same, same.at("of"));
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
