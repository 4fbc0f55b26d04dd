// SPDX-License-Identifier: Apache-2.0
#include "ablation/baseline.hpp"

#include <algorithm>

#include "dataset/schema_json.hpp"
#include "recipe/outputs.hpp"
#include "trial/runner.hpp"

namespace dlrun::ablation {

namespace {

bool erase_key(Node& map, const std::string& key) {
  return std::erase_if(map.entries, [&](const document::Entry& entry) { return entry.key == key; }) > 0;
}

void erase_keys(Node& root, const std::string& section, const Names& keys, Names& left_out) {
  document::Entry* entry = root.find_entry(section);
  if (entry == nullptr) return;
  for (const std::string& key : keys) {
    if (erase_key(entry->value, key)) left_out.push_back(join(section, key));
  }
}

bool is_constant(const Node& parameter) {
  const Node* type = parameter.find("type");
  return parameter.find("value") != nullptr || (type != nullptr && type->text == "constant");
}

/// Removes parameters by name and node from a space, a map or a list; the space too, once it is empty.
/// @return whether some were removed
template <class Predicate>
bool erase_parameters(Node& root, Predicate is_erased) {
  document::Entry* space = root.find_entry("space");
  if (space == nullptr) return false;
  Node& all = space->value;
  const auto name_of = [](const Node& item) {
    const Node* name = item.find("name");
    return name == nullptr ? std::string() : name->text;
  };
  const auto erased =
      std::erase_if(all.entries, [&](const document::Entry& entry) { return is_erased(entry.key, entry.value); }) +
      std::erase_if(all.items, [&](const Node& item) { return is_erased(name_of(item), item); });
  if (all.entries.empty() && all.items.empty()) erase_key(root, "space");
  return erased > 0;
}

}  // namespace

std::optional<model::Declared> declared_model(const Json& study) {
  const Json& trial = study.at("trial");
  if (trial.at("kind") != "train") return std::nullopt;
  const dataset::Schema data = dataset::schema_from_json(study.at("derived").at("data"));
  return model::declare(trial.at("model"), recipe::interface_of(data, trial));
}

Node node_at(const Json& value, const document::Span& span) {
  Node node;
  node.span = span;
  if (value.is_object()) {
    node.kind = Node::Kind::map;
    for (const auto& [key, inner] : value.items()) node.entries.push_back({key, span, node_at(inner, span)});
  } else if (value.is_array()) {
    node.kind = Node::Kind::list;
    for (const Json& inner : value) node.items.push_back(node_at(inner, span));
  } else if (!value.is_null()) {
    node.kind = Node::Kind::scalar;
    node.is_plain = !value.is_string();
    node.text = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return node;
}

Node with_trial(Node root, const Json& trial, const Checker& checker, const document::Span& span) {
  root.find_entry("trial")->value = node_at(checker.concise(trial), span);
  return root;
}

Node with_split(Node root, const Json& trial, const Checker& checker, const document::Span& span) {
  Node& data = root.find_entry("trial")->value.find_entry("data")->value;
  erase_key(data, "split");
  data.entries.push_back({"split", span, node_at(checker.concise(trial)["data"]["split"], span)});
  return root;
}

const document::Diagnostic* first_fault(const Faults& faults) {
  const auto& list = faults.list.list();
  const auto found = std::find_if(list.begin(), list.end(), [](const auto& fault) { return !fault.is_warning; });
  return found == list.end() ? nullptr : &*found;
}

Node without_search(const Node& root, Names& left_out, bool keeps_space) {
  Node out = root;
  erase_key(out, "ablation");
  if (!keeps_space && erase_key(out, "constraints")) left_out.emplace_back("constraints");
  if (erase_key(out, "feasible")) left_out.emplace_back("feasible");
  // Constants stay: a study made of a trial has its values there.
  const auto is_searched = [](const std::string&, const Node& parameter) { return !is_constant(parameter); };
  if (!keeps_space && erase_parameters(out, is_searched)) left_out.emplace_back("space");
  erase_keys(out, "search", {"sampler", "pruner", "enqueue", "learn_from", "lanes", "stagger"}, left_out);
  erase_keys(out, "limits", {"trials", "epochs", "target", "stall", "expected_improvement"}, left_out);
  for (const char* section : {"winner", "final"}) {
    const Node* written = out.find(section);
    const bool is_map = written != nullptr && written->kind == Node::Kind::map;
    if (is_map && written->find("of") == nullptr) left_out.emplace_back(section);  // else dlrun wrote it for this study
  }
  return out;
}

Json fold_constants(Json& study, Node& root, const Checker& checker, Faults& faults) {
  Json sets = Json::object(), rest = Json::array();
  Names stay;
  for (const Json& parameter : study["space"]) {
    if (parameter["at"].is_string()) {
      sets[parameter["at"].get<std::string>()] = parameter["value"];
    } else {
      rest.push_back(parameter);
      stay.push_back(parameter["name"].get<std::string>());
    }
  }
  if (sets.empty()) return rest;
  root = with_trial(root, trial::configured(study["trial"], sets), checker, faults.key_of("space"));
  erase_parameters(root, [&](const std::string& name, const Node&) {
    return !name.empty() && std::find(stay.begin(), stay.end(), name) == stay.end();
  });
  study = checker.check(root, faults);
  return rest;
}

}  // namespace dlrun::ablation
