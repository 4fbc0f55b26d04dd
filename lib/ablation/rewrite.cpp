// SPDX-License-Identifier: Apache-2.0
#include "ablation/rewrite.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "ablation/refused.hpp"
#include "ablation/selector.hpp"
#include "model/layer.hpp"

namespace dlrun::ablation {

using model::Block;
using model::Declared;
using model::Draft;

namespace {

/// Replacement of each removed node, by the removed node's name.
using Stands = std::map<std::string, std::string>;

std::string standing_for(const Stands& stands, const std::string& name) {
  const auto found = stands.find(name);
  return found == stands.end() ? name : found->second;
}

/// Replaces every removed node by its stand-in where something reads it.
void rewire(Declared& model, const Stands& stands) {
  for (Draft& draft : model.plan.nodes) {
    for (std::string& input : draft.inputs) input = standing_for(stands, input);
    if (!draft.match.empty()) draft.match = standing_for(stands, draft.match);
  }
  for (model::Output& output : model.plan.outputs) output.node = standing_for(stands, output.node);
  for (Block& block : model.plan.blocks) {
    for (std::string* end : {&block.input, &block.value, &block.body}) *end = standing_for(stands, *end);
    if (!block.shortcut.empty()) block.shortcut = standing_for(stands, block.shortcut);
  }
}

void erase(Declared& model, const std::set<std::string>& gone) {
  std::erase_if(model.plan.nodes, [&](const Draft& draft) { return gone.contains(draft.name); });
}

void require_not_shared(const Declared& model, const std::set<std::string>& gone) {
  for (const Draft& draft : model.plan.nodes) {
    if (draft.share.empty() || gone.contains(draft.name) || !gone.contains(draft.share)) continue;
    throw Refused("E216", fmt::format("'{}' uses the weights of '{}', which would be gone", draft.name, draft.share),
                  draft.role == "head" ? "remove its `share`: the head would need weights of its own"
                                       : fmt::format("drop '{}' too", draft.name));
  }
}

void require_output_left(const Declared& model) {
  for (const model::Output& output : model.plan.outputs) {
    const bool is_there = std::any_of(model.plan.nodes.begin(), model.plan.nodes.end(),
                                      [&](const Draft& draft) { return draft.name == output.node; });
    if (!is_there) throw Refused("E220", "nothing would be left between the model's input and its output");
  }
}

/// Values that readers of a removed node may read instead: of a sequence with a mask or a graph with edges the first.
std::vector<std::string> passed_on(const Draft& draft) {
  const model::LayerRule* rule = model::find_rule(draft.op);
  if (rule == nullptr || !rule->passes_first || draft.inputs.empty()) return draft.inputs;
  return {draft.inputs.front()};
}

const Draft* find_node(const Declared& model, const std::string& name) {
  for (const Draft& draft : model.plan.nodes) {
    if (draft.name == name) return &draft;
  }
  return nullptr;
}

bool takes_list(const Draft& draft) { return draft.op == "add" || draft.op == "concat" || draft.op == "multiply"; }

/// The node whose value a name means: a node's own, a block's result, an input's.
std::string value_of(const Declared& model, const std::string& name) {
  for (const Block& block : model.plan.blocks) {
    if (block.name == name) return block.value;
  }
  if (model.interface.inputs.contains(name) || find_node(model, name) != nullptr) return name;
  throw Refused("E201", fmt::format("the model has no component '{}'", name), nearest_three(name, names_of(model)));
}

}  // namespace

void drop(Declared& model, const std::vector<std::string>& nodes) {
  const std::set<std::string> gone(nodes.begin(), nodes.end());
  require_not_shared(model, gone);
  Stands stands;
  for (const Draft& draft : model.plan.nodes) {
    if (!gone.contains(draft.name)) continue;
    std::set<std::string> producers;
    for (const std::string& input : passed_on(draft)) producers.insert(standing_for(stands, input));
    if (producers.size() > 1)
      throw Refused("E202", fmt::format("'{}' has several inputs ({})", draft.name, fmt::join(producers, ", ")),
                    "take drop_branch, drop_between or drop_edge");
    stands[draft.name] = *producers.begin();
  }
  erase(model, gone);
  rewire(model, stands);
  require_output_left(model);
}

void drop_branch(Declared& model, const std::string& branch) {
  std::vector<std::string> known;
  for (const Block& block : model.plan.blocks) {
    if (block.op != "residual") continue;
    for (const bool is_body : {true, false}) {
      const std::string name = block.name + (is_body ? ".body" : ".shortcut");
      if (name != branch) {
        known.push_back(name);
        continue;
      }
      if (block.shortcut.empty())
        throw Refused("E206", fmt::format("'{}' has no shortcut, so '{}' is all of it", block.name, branch),
                      fmt::format("drop '{}' itself", block.name));
      const std::string left = is_body ? block.shortcut : block.body;
      erase(model, {block.name});
      rewire(model, {{block.name, left}});
      return require_output_left(model);
    }
  }
  throw Refused("E201", fmt::format("the model has no branch '{}'", branch),
                known.empty() ? "it has no residual" : nearest_three(branch, known));
}

namespace {

/// Nodes that read `from`, directly or not.
std::set<std::string> below(const Declared& model, const std::string& from) {
  std::set<std::string> out{from};
  for (const Draft& draft : model.plan.nodes) {
    const bool reads = std::any_of(draft.inputs.begin(), draft.inputs.end(),
                                   [&](const std::string& input) { return out.contains(input); });
    if (reads) out.insert(draft.name);
  }
  return out;
}

/// Nodes and inputs that `to` reads, directly or not, back to `from`.
std::set<std::string> above(const Declared& model, const std::string& to, const std::string& from) {
  std::set<std::string> out{to};
  for (auto draft = model.plan.nodes.rbegin(); draft != model.plan.nodes.rend(); ++draft) {
    if (out.contains(draft->name) && draft->name != from) out.insert(draft->inputs.begin(), draft->inputs.end());
  }
  return out;
}

}  // namespace

Way way_between(const Declared& model, const std::string& from, const std::string& to) {
  return {from, to, value_of(model, from), value_of(model, to)};
}

void drop_between(Declared& model, const std::string& from, const std::string& to) {
  drop_way(model, way_between(model, from, to));
}

void drop_way(Declared& model, const Way& way) {
  const auto& [from, to, start, end] = way;
  const std::set<std::string> reached = below(model, start), needed = above(model, end, start);
  if (start == end || !reached.contains(end))
    throw Refused("E201", fmt::format("no path leads from '{}' to '{}'", from, to), "name the earlier one first");
  std::set<std::string> gone;
  for (const std::string& name : needed) {
    if (!reached.contains(name))
      throw Refused("E208", fmt::format("'{}' also depends on '{}', which does not come through '{}'", to, name, from),
                    "begin at a layer that all paths go through");
    if (name != start) gone.insert(name);
  }
  std::vector<std::string> escapes;
  for (const Draft& draft : model.plan.nodes) {
    for (const std::string& input : draft.inputs) {
      if (!gone.contains(draft.name) && gone.contains(input) && input != end)
        escapes.push_back(fmt::format("'{}' reads '{}'", draft.name, input));
    }
  }
  if (!escapes.empty())
    throw Refused("E207", fmt::format("what lies between is read elsewhere: {}", fmt::join(escapes, ", ")),
                  "end at a layer that all paths come to");
  require_not_shared(model, gone);
  erase(model, gone);
  rewire(model, {{end, start}});
  require_output_left(model);
}

void drop_edge(Declared& model, const std::string& from, const std::string& to) {
  const std::string start = value_of(model, from), end = value_of(model, to);
  Draft* node = const_cast<Draft*>(find_node(model, end));
  if (node == nullptr || !takes_list(*node))
    throw Refused("E202", fmt::format("'{}' is no add, concat or multiply, whose inputs are a list", to),
                  "take drop, drop_branch or drop_between");
  const auto edge = std::find(node->inputs.begin(), node->inputs.end(), start);
  if (edge == node->inputs.end())
    throw Refused("E201", fmt::format("'{}' does not read '{}'", to, from),
                  fmt::format("it reads '{}'", fmt::join(node->inputs, "', '")));
  if (node->inputs.size() == 1)
    throw Refused("E205", fmt::format("'{}' is the last input of '{}'", from, to), "drop what reads it");
  node->inputs.erase(edge);
}

namespace {

/// Drops nodes that drop_edge left with one input of a list: each is an identity.
void collapse(Declared& model) {
  std::vector<std::string> single;
  for (const Draft& draft : model.plan.nodes) {
    if (takes_list(draft) && draft.inputs.size() == 1) single.push_back(draft.name);
  }
  if (!single.empty()) drop(model, single);
}

/// Keeps each projection whose body is removed as the layer that was inferred for it.
void keep_projections(Declared& model, const std::set<std::string>& live) {
  const auto loses_body = [&](const Draft& draft) {
    return live.contains(draft.name) && !draft.match.empty() && find_node(model, draft.match) != nullptr &&
           !live.contains(draft.match);
  };
  auto& nodes = model.plan.nodes;
  if (std::none_of(nodes.begin(), nodes.end(), loses_body)) return;
  std::vector<model::ModelError> faults;  // build() reports the unread body as one
  const model::Graph graph = model::build(model, &faults);
  const Json written = model::write(model, graph).at("nodes");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!loses_body(nodes[i])) continue;
    if (graph.nodes[i].out.empty())
      throw Refused("E215", fmt::format("'{}' projects to a body whose shape is not known", nodes[i].name));
    nodes[i].op = graph.nodes[i].op;
    nodes[i].written = written[i];
    nodes[i].match.clear();
  }
}

}  // namespace

std::vector<std::string> prune(Declared& model) {
  collapse(model);
  std::set<std::string> live;
  for (const model::Output& output : model.plan.outputs) live.insert(output.node);
  for (auto draft = model.plan.nodes.rbegin(); draft != model.plan.nodes.rend(); ++draft) {
    if (!live.contains(draft->name)) continue;
    live.insert(draft->inputs.begin(), draft->inputs.end());
    if (!draft->share.empty()) live.insert(draft->share);
  }
  keep_projections(model, live);
  std::vector<std::string> dead;
  for (const Draft& draft : model.plan.nodes) {
    if (!live.contains(draft.name)) dead.push_back(draft.name);
  }
  erase(model, {dead.begin(), dead.end()});
  std::erase_if(model.plan.blocks, [&](const Block& block) { return find_node(model, block.value) == nullptr; });
  const bool is_named = !model.outputs.is_null();
  if (is_named || model.plan.outputs.empty()) return dead;
  auto& nodes = model.plan.nodes;  // the model's output is the last one of the list
  std::stable_partition(nodes.begin(), nodes.end(),
                        [&](const Draft& draft) { return draft.name != model.plan.outputs[0].node; });
  return dead;
}

}  // namespace dlrun::ablation
