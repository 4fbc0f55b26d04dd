// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ablation/refused.hpp"
#include "ablation/rewrite.hpp"
#include "ablation/selector.hpp"
#include "model/layer.hpp"

namespace dlrun::ablation {

namespace {

using model::Draft;
using model::LayerRule;

const LayerRule& rule_of(const Json& to) {
  const std::string op = to.value("op", std::string());
  const LayerRule* rule = model::find_rule(op);
  if (rule != nullptr && rule->infer != nullptr) return *rule;
  std::vector<std::string> known;
  for (const LayerRule& one : model::layer_rules()) {
    if (one.infer != nullptr) known.push_back(one.kind.name);
  }
  throw Refused("E201", fmt::format("there is no layer kind '{}'", op), nearest_three(op, known));
}

void require_arity(const Draft& draft, const LayerRule& rule) {
  const std::size_t count = draft.inputs.size();
  if (count >= rule.least_inputs && count <= rule.most_inputs) return;
  throw Refused("E209",
                fmt::format("'{}' has {} input{}, but {} takes {}", draft.name, count, count == 1 ? "" : "s",
                            rule.kind.name, rule.least_inputs),
                "swap layers of as many inputs");
}

Json swapped(const Draft& draft, const LayerRule& rule, const Json& to) {
  Json written{{"op", rule.kind.name}};
  std::vector<std::string> missing;
  for (const options::Key& attribute : rule.kind.table) {
    const auto given = to.find(attribute.name), kept = draft.written.find(attribute.name);
    if (given != to.end()) {
      written[attribute.name] = *given;
    } else if (kept != draft.written.end()) {
      written[attribute.name] = *kept;
    } else if (attribute.required) {
      missing.push_back(attribute.name);
    }
  }
  if (missing.empty()) return written;
  throw Refused("E210",
                fmt::format("{} needs '{}', which '{}' ({}) does not have", rule.kind.name, fmt::join(missing, "', '"),
                            draft.name, draft.op),
                fmt::format("write to: {{op: {}, {}: …}}", rule.kind.name, missing.front()));
}

void require_known(const LayerRule& rule, const Json& to) {
  std::vector<std::string> known{"op"};
  for (const options::Key& attribute : rule.kind.table) known.push_back(attribute.name);
  for (const auto& [key, value] : to.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw Refused("E210", fmt::format("{} has no '{}'", rule.kind.name, key), nearest_three(key, known));
  }
}

}  // namespace

void swap(model::Declared& model, const std::vector<std::string>& nodes, const Json& to) {
  const LayerRule& rule = rule_of(to);
  require_known(rule, to);
  for (Draft& draft : model.plan.nodes) {
    if (std::find(nodes.begin(), nodes.end(), draft.name) == nodes.end()) continue;
    require_arity(draft, rule);
    draft.written = swapped(draft, rule, to);
    draft.op = rule.kind.name;
    draft.match.clear();
  }
}

}  // namespace dlrun::ablation
