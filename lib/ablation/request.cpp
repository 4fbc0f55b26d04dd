// SPDX-License-Identifier: Apache-2.0
#include "ablation/request.hpp"

#include <algorithm>
#include <vector>

#include "ablation/plan_json.hpp"
#include "ablation/try_component.hpp"
#include "model/graph.hpp"

namespace dlrun::ablation {

namespace {

/// Sections of the trial that a proposer sees, and may change; and of its data.
const Names kOpenSections{"loss",      "optimizer",  "schedule", "clip_norm", "clip_value", "epochs",  "batch_size",
                          "precision", "accumulate", "ema",      "swa",       "lr_scaling", "function"};
const Names kOpenDataSections{"augment", "sampler"};

/// A component that drops `name`, tried: {droppable, why_not}.
Json droppable(const std::string& name, const Baseline& baseline) {
  const Json component{{"id", "it"}, {"drop", {{"name", name}}}};
  const TriedComponent tried = try_component(node_at(component), baseline);
  const bool can = !tried.variants.empty();
  return {{"droppable", can}, {"why_not", can ? Json() : Json(tried.code + ": " + tried.message)}};
}

Json node_json(const model::Node& node) {
  std::int64_t parameters = 0;
  for (const model::Tensor& tensor : node.tensors) {
    std::int64_t count = tensor.trainable ? 1 : 0;
    for (const std::int64_t size : tensor.shape) count *= size;
    parameters += count;
  }
  Json out{{"name", node.name}, {"op", node.op},     {"inputs", node.inputs},    {"in", node.in},
           {"out", node.out},   {"tags", node.tags}, {"parameters", parameters}, {"operations", node.operations}};
  if (!node.role.empty()) out["role"] = node.role;
  return out;
}

/// null where the trial has none
Json model_json(const Baseline& baseline) {
  const auto declared = declared_model(baseline.study);
  if (!declared) return nullptr;
  const model::Graph graph = model::build(*declared);
  Json nodes = Json::array(), blocks = Json::array();
  for (const model::Node& node : graph.nodes) {
    nodes.push_back(node_json(node));
    nodes.back().update(droppable(node.name, baseline));
  }
  for (const auto& block : declared->plan.blocks) {
    blocks.push_back({{"name", block.name}, {"op", block.op}});
    if (!block.shortcut.empty()) blocks.back()["branches"] = {block.name + ".body", block.name + ".shortcut"};
    blocks.back().update(droppable(block.name, baseline));
  }
  return {{"nodes", nodes}, {"blocks", blocks}, {"parameters", graph.parameters()}, {"operations", graph.operations()}};
}

/// Source columns of a table: a number, or a category of so many encoded columns. Of other data its inputs.
Json features_json(const Json& study) {
  Json out = Json::array();
  const Json data = study.value("derived", Json::object()).value("data", Json::object());
  const auto columns = data.value("columns", std::vector<std::string>());
  const auto encoded = data.value("features", std::vector<std::string>());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_category = i < encoded.size() && encoded[i].starts_with(columns[i] + '=');
    const auto is_same = [&](const Json& one) { return one["name"] == columns[i]; };
    const auto known = std::find_if(out.begin(), out.end(), is_same);
    if (known != out.end()) (*known)["width"] = (*known)["width"].get<int>() + 1;
    if (known == out.end())
      out.push_back({{"name", columns[i]}, {"type", is_category ? "category" : "number"}, {"width", 1}});
  }
  if (!columns.empty()) return out;
  for (const Json& input : data.value("inputs", Json::array()))
    out.push_back({{"name", input["name"]}, {"type", "input"}, {"shape", input["shape"]}});
  return out;
}

/// Texts that may be paths are left out: names of operations and metrics have no slash.
Json without_paths(const Json& value) {
  if (value.is_string()) return value.get<std::string>().find('/') == std::string::npos ? value : Json();
  if (!value.is_structured()) return value;
  Json out = value;
  for (Json& inner : out) inner = without_paths(inner);
  return out;
}

Json train_json(const Json& trial) {
  Json out = Json::object();
  for (const std::string& section : kOpenSections) {
    if (trial.contains(section) && !trial[section].is_null()) out[section] = trial[section];
  }
  const Json data = trial.value("data", Json::object());
  for (const std::string& section : kOpenDataSections) {
    if (data.contains(section) && !data[section].is_null()) out["data." + section] = data[section];
  }
  return without_paths(out);
}

/// A key of a component, for a reader who has no schema at hand.
Json described(const options::Key& key) {
  Json out{{"text", key.text}};
  if (!key.choices.empty()) out["one_of"] = key.choices;
  if (key.required) out["required"] = true;
  for (const options::Key& inner : key.table) out["keys"][inner.name] = described(inner);
  return out;
}

}  // namespace

bool is_open_to_proposals(const std::string& place) {
  const auto holds = [&](const std::string& section) { return lies_in(place, section); };
  const auto holds_data = [&](const std::string& section) { return lies_in(place, "data." + section); };
  return lies_in(place, "model") || std::any_of(kOpenSections.begin(), kOpenSections.end(), holds) ||
         std::any_of(kOpenDataSections.begin(), kOpenDataSections.end(), holds_data);
}

Json proposal_request(const Baseline& baseline, const std::string& goal) {
  const Json& trial = baseline.study.at("trial");
  Json keys = Json::object();
  for (const auto& field : component_fields()) keys[field.key.name] = described(field.key);
  return {{"protocol", "dlrun-suggest/1"},
          {"goal", goal},
          {"objective", baseline.study.at("objective")},
          {"budget", {{"max_components", kMostProposals}, {"epochs", trial.value("epochs", Json())}}},
          {"model", model_json(baseline)},
          {"features", features_json(baseline.study)},
          {"train", train_json(trial)},
          {"allowed_ops",
           {"drop", "drop_branch", "drop_between", "drop_edge", "drop_feature", "drop_channel", "swap", "set"}},
          {"component", keys},
          {"reply", "YAML: {components: [a component, …]}, each with id, one of allowed_ops, rationale and expected"}};
}

}  // namespace dlrun::ablation
