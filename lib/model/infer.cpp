// SPDX-License-Identifier: Apache-2.0
#include "model/infer.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "model/attributes.hpp"
#include "model/layer.hpp"
#include "model/outputs.hpp"
#include "model/shape.hpp"
#include "model/tie.hpp"
#include "options/value.hpp"

namespace dlrun::model {

namespace {

class Inference {
 public:
  Inference(const Plan& plan, const Interface& interface, Faults& faults)
      : drafts_(plan.nodes), readers_(readers(plan.nodes, plan.outputs)), interface_(interface), faults_(faults) {
    for (const auto& [name, input] : interface.inputs) shapes_[name] = input.shape;
    for (const Draft& draft : drafts_) {
      for (const std::string& input : draft.inputs) consumers_[input].push_back(find_rule(draft.op));
    }
  }

  std::vector<Node> infer_all() {
    std::vector<Node> nodes;
    nodes.reserve(drafts_.size());
    for (const Draft& draft : drafts_) {
      nodes.push_back(infer_one(draft));
      if (!draft.share.empty()) tie(draft, nodes);
      shapes_[draft.name] = nodes.back().out;
    }
    return nodes;
  }

 private:
  Node infer_one(const Draft& draft);
  Node begin(const Draft& draft) const;
  bool has_right_arity(const Draft& draft, const LayerRule& rule);
  bool has_right_types(const Draft& draft, const LayerRule& rule);
  void apply(const LayerRule& rule, Node& node);
  void check_size(Node& node);
  void tie(const Draft& draft, std::vector<Node>& nodes);
  Json projection(const Draft& draft, Node& node);
  bool is_before_norm(const std::string& name) const;
  Shape shape_of(const std::string& name) const {
    const auto found = shapes_.find(name);
    return found == shapes_.end() ? Shape{} : found->second;
  }

  const std::vector<Draft>& drafts_;
  const std::map<std::string, std::set<std::string>> readers_;  ///< outputs that a node leads to
  const Interface& interface_;
  Faults& faults_;
  std::map<std::string, Shape> shapes_;  ///< shape of every value so far; empty: unknown
  std::map<std::string, std::vector<const LayerRule*>> consumers_;
};

bool is_known(const Shape& shape) { return !shape.empty(); }

bool Inference::is_before_norm(const std::string& name) const {
  const auto found = consumers_.find(name);
  return found != consumers_.end() && std::all_of(found->second.begin(), found->second.end(),
                                                  [](const LayerRule* rule) { return rule && rule->is_norm; });
}

Node Inference::begin(const Draft& draft) const {
  Node node{draft.name, draft.op, draft.inputs, Json::object(), draft.tags, draft.role};
  for (const std::string& input : draft.inputs) node.in.push_back(shape_of(input));
  node.path = draft.path;
  return node;
}

bool Inference::has_right_arity(const Draft& draft, const LayerRule& rule) {
  const std::size_t count = draft.inputs.size();
  if (count >= rule.least_inputs && count <= rule.most_inputs) return true;
  if (faults_.has(options::place_of(draft.path, "from"))) return false;
  const bool is_too_few = count < rule.least_inputs;
  const std::string range = rule.least_inputs == rule.most_inputs
                                ? std::to_string(rule.most_inputs)
                                : fmt::format("{} to {}", rule.least_inputs, rule.most_inputs);
  const std::string many = rule.most_inputs == 1 ? "one input" : range + " inputs";
  faults_.add_first({options::place_of(draft.path, "from"),
                     fmt::format("'{}': {} takes {}, not {}", draft.name, draft.op, many, count),
                     is_too_few ? "name them: from: [a, b]" : "join them before, by add or concat"});
  return false;
}

/// Indices are no numbers: what multiplies or adds cannot read them.
bool Inference::has_right_types(const Draft& draft, const LayerRule& rule) {
  if (rule.reads_indices) return true;
  for (const std::string& name : draft.inputs) {
    const auto input = interface_.inputs.find(name);
    if (input == interface_.inputs.end() || input->second.vocabulary == 0) continue;
    faults_.add_first({draft.path,
                       fmt::format("'{}': {} takes numbers, but '{}' holds indices below {}", draft.name, draft.op,
                                   name, input->second.vocabulary),
                       "begin with an embedding: {op: embedding, out: 64}"});
    return false;
  }
  return true;
}

/// A residual's projection: the 1x1 convolution, or linear, without bias from the block's input to its body's shape.
/// Its stride is the one that reaches the body's size.
Json Inference::projection(const Draft& draft, Node& node) {
  const Shape target = shape_of(draft.match);
  const Shape& from = node.in[0];
  if (!is_known(target) || !is_known(from)) return nullptr;
  if (from.size() == target.size() && from.size() < 3) {
    node.op = "linear";
    return {{"op", "linear"}, {"out", target.back()}, {"bias", false}};
  }
  Pair stride{1, 1};
  bool is_possible = from.size() == 3 && target.size() == 3;
  for (int axis = 0; axis < 2 && is_possible; ++axis) {
    stride[axis] = (from[axis + 1] + target[axis + 1] - 1) / target[axis + 1];
    is_possible = (from[axis + 1] - 1) / stride[axis] + 1 == target[axis + 1];
  }
  if (is_possible) return {{"op", "conv2d"}, {"out", target[0]}, {"k", 1}, {"stride", stride}, {"bias", false}};
  faults_.add_first({draft.path,
                     fmt::format("'{}': no 1x1 projection leads from {} to the body's {}", draft.name, to_text(from),
                                 to_text(target)),
                     "write the shortcut's layers out: shortcut: [...]"});
  return nullptr;
}

void Inference::check_size(Node& node) {
  if (elements(node.out) <= kMostElements) return;
  faults_.add(
      {node.path, fmt::format("'{}' would have the output {}, more than 2^31 numbers", node.name, to_text(node.out))});
  node.out.clear();
}

void Inference::apply(const LayerRule& rule, Node& node) {
  const bool is_complete = std::all_of(node.in.begin(), node.in.end(), is_known);
  if (is_complete) {
    try {
      Layer layer(node, interface_, readers_.at(node.name), is_before_norm(node.name));
      rule.infer(layer);
      return check_size(node);
    } catch (const ModelError& fault) {
      if (!faults_.has(node.path)) faults_.add(fault);  // `fault` may lie inside: one message for one node
    }
  }
  node.out = rule.guess == nullptr ? Shape{} : rule.guess(node);
}

/// Replaces tensors of the last node that its owner has too by the owner's; those of other names stay its own.
void Inference::tie(const Draft& draft, std::vector<Node>& nodes) {
  Node& node = nodes.back();
  const auto owner = std::find_if(nodes.begin(), nodes.end() - 1, [&](const Node& n) { return n.name == draft.share; });
  const std::string place = options::place_of(draft.path, "share");
  if (owner == nodes.end() - 1)
    return faults_.add_first({place, fmt::format("'{}' is no layer with weights", draft.share)});
  if (!is_known(owner->out) || !is_known(node.out)) return;  // behind a fault
  try {
    tie_tensors(*owner, node);
  } catch (const ModelError& fault) {
    if (!faults_.has(place)) faults_.add(fault);
  }
}

Node Inference::infer_one(const Draft& draft) {
  Node node = begin(draft);
  const Json written = draft.match.empty() ? draft.written : projection(draft, node);
  const LayerRule* rule = find_rule(node.op);
  if (rule == nullptr || written.is_null()) return node;
  const bool is_usable = read_attributes(written, rule->kind, node.path, node.attributes, faults_);
  if (!has_right_arity(draft, *rule) || !has_right_types(draft, *rule)) return node;
  if (is_usable) {
    apply(*rule, node);
  } else if (rule->guess != nullptr) {
    node.out = rule->guess(node);
  }
  return node;
}

}  // namespace

std::vector<Node> infer(const Plan& plan, const Interface& interface, Faults& faults) {
  return Inference(plan, interface, faults).infer_all();
}

}  // namespace dlrun::model
