// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/declared.hpp"
#include "model/layer.hpp"

namespace dlrun::model {

namespace {

/// Attributes of a projection, which a study does not write: the inferred ones stand in the normal form.
Json inferred_attributes(const Node& node) {
  Json out = Json::object();
  for (const options::Key& attribute : find_rule(node.op)->kind.table) {
    const auto value = node.attributes.find(attribute.name);
    const bool is_said = !attribute.is_inferred && value != node.attributes.end() && !value->is_null();
    if (is_said) out[attribute.name] = *value;
  }
  return out;
}

/// Attributes that a person wrote at the node itself.
Json written_attributes(const Draft& draft, const Node& node) {
  Json out = Json::object();
  for (const options::Key& attribute : find_rule(node.op)->kind.table) {
    const auto value = draft.written.find(attribute.name);
    if (value != draft.written.end()) out[attribute.name] = *value;
  }
  return out;
}

Json write_node(const Draft& draft, const Node& node, const std::string& previous) {
  Json out = draft.match.empty() ? written_attributes(draft, node) : inferred_attributes(node);
  out["name"] = draft.name;
  out["op"] = node.op;
  if (draft.inputs.size() > 1) out["from"] = draft.inputs;
  if (draft.inputs.size() == 1 && draft.inputs[0] != previous) out["from"] = draft.inputs[0];
  if (!draft.tags.empty()) out["tags"] = draft.tags;
  if (!draft.role.empty()) out["role"] = draft.role;
  if (!draft.share.empty()) out["share"] = draft.share;
  return out;
}

/// Targets and roles of outputs stay as they are; the layers have their full names.
Json write_outputs(const Declared& declared) {
  Json out = declared.outputs;
  for (const Output& output : declared.plan.outputs) {
    Json& one = out[output.name];
    (one.is_object() ? one["from"] : one) = output.node;
  }
  return out;
}

}  // namespace

Json write(const Declared& declared, const Graph& graph) {
  Json nodes = Json::array();
  std::string previous = declared.interface.inputs.size() == 1 ? declared.interface.inputs.begin()->first : "";
  for (std::size_t i = 0; i < declared.plan.nodes.size(); ++i) {
    nodes.push_back(write_node(declared.plan.nodes[i], graph.nodes[i], previous));
    previous = declared.plan.nodes[i].name;
  }
  Json model{{"nodes", std::move(nodes)}};
  if (!declared.input.is_null()) model["input"] = declared.input;
  if (!declared.outputs.is_null()) model["outputs"] = write_outputs(declared);
  return model;
}

}  // namespace dlrun::model
