// SPDX-License-Identifier: Apache-2.0
// Random models of the registry's layers: whatever fits is put below, until there are enough.
#pragma once
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "model/graph.hpp"
#include "model/layer.hpp"
#include "util/random.hpp"

namespace dlrun::ablation {

class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed, {"random graph"}), interface_(one_of(interfaces())) {
    for (const auto& [name, input] : interface_.inputs) names_.push_back(name);
    for (int tries = 0; tries < 400 && nodes_.size() < 10; ++tries) grow();
    put({{"op", "flatten"}, {"name", "flat"}, {"from", names_.back()}});
    put({{"op", "linear"}, {"name", "head"}, {"out", "classes"}, {"role", "head"}, {"from", names_.back()}});
    remove_unread();
  }

  /// False where no way was found from the inputs to the classes.
  bool is_sound() const {
    std::vector<model::ModelError> faults;
    model::build(model(), interface_, &faults);
    return faults.empty();
  }

  Json model() const { return {{"nodes", nodes_}}; }
  const model::Interface& interface() const { return interface_; }

 private:
  static const std::vector<model::Interface>& interfaces() {
    static const std::vector<model::Interface> all{{{{"x", {4, 8, 8}}}, 3, 1, {}},
                                                   {{{"x", {6, 8}}}, 3, 1, {}},
                                                   {{{"x", {8}}}, 3, 1, {}},
                                                   {{{"x", {2, 4, 4, 4}}}, 3, 1, {}},
                                                   {{{"x", model::Input({6}, 20)}}, 3, 1, {}},
                                                   {{{"adjacency", {6, 6}}, {"x", {6, 4}}}, 3, 1, {}}};
    return all;
  }

  template <class Value>
  const Value& one_of(const std::vector<Value>& values) {
    return values[random_.below(values.size())];
  }

  Json value_of(const std::string& op, const std::string& attribute) {
    if (attribute == "body") return body();
    if (attribute == "shape") return one_of<Json>({{-1}, {2, -1}, {2, 2, -1}});
    if (attribute == "dims") return one_of<Json>({{1, 0}, {0, 2, 1}, {2, 1, 0}});
    if (attribute == "dim") return one_of<Json>({0, 1, 2});
    if (attribute == "index") return 0;
    if (attribute == "k") return one_of<Json>({1, 2, 3});
    if (attribute == "groups" || attribute == "heads") return one_of<Json>({1, 2});
    if (attribute == "factor" && op != "scale") return 2;
    if (attribute == "pad") return 1;
    return one_of<Json>({2, 3, 4, 8});
  }

  /// Of one input, so that they may stand in a list.
  Json body() {
    static const std::vector<std::string> ops{"linear",    "relu",    "conv1d",   "conv2d",
                                              "batchnorm", "dropout", "layernorm"};
    Json list = Json::array();
    for (std::uint64_t i = random_.below(2); i < 2; ++i) list.push_back(layer(one_of(ops)));
    return list;
  }

  Json layer(const std::string& op) {
    Json out{{"op", op}};
    const model::LayerRule& rule = *model::find_rule(op);
    for (const options::Key& attribute : rule.kind.table) {
      if (attribute.required) out[attribute.name] = value_of(op, attribute.name);
    }
    if (op.starts_with("conv") && random_.below(2) == 0) out["pad"] = op.starts_with("conv_") ? Json(1) : Json("same");
    if (op == "split") out["parts"] = 2;
    if (op == "slice") out["stop"] = 2;
    if (op == "residual") out["shortcut"] = one_of<std::string>({"identity", "projection", "none"});
    if (op == "group" && random_.below(2) == 0) out["repeat"] = 2;
    return out;
  }

  Json sources(const model::LayerRule& rule) {
    const std::size_t most = std::min<std::size_t>(rule.most_inputs, 3);
    const std::size_t count = rule.least_inputs + random_.below(most - rule.least_inputs + 1);
    Json from = Json::array();
    for (std::size_t i = 0; i < count; ++i)
      from.push_back(i == 0 && random_.below(3) > 0 ? names_.back() : one_of(names_));
    return count == 1 ? from[0] : from;
  }

  void grow() {
    const std::string& op = one_of(model::layer_kinds()).name;
    Json node = layer(op);
    node["name"] = "n" + std::to_string(nodes_.size());
    node["from"] = sources(*model::find_rule(op));
    for (const Json& above : nodes_) {
      if (above["op"] == op && random_.below(4) == 0 && op != "residual" && op != "group")
        node["share"] = above["name"];
    }
    put(std::move(node));
  }

  /// Keeps it where the graph, but for its end, is without faults.
  void put(Json node) {
    Json all = nodes_;
    all.push_back(node);
    std::vector<model::ModelError> faults;
    model::build(Json{{"nodes", all}}, interface_, &faults);
    const bool fits = std::all_of(faults.begin(), faults.end(), [](const model::ModelError& fault) {
      const std::string text = fault.what();
      return text.starts_with("nothing reads") || text.find("the model's output") != std::string::npos;
    });
    if (!fits) return;
    names_.push_back(node["name"].get<std::string>());
    nodes_ = std::move(all);
  }

  /// What does not lead to the last layer.
  void remove_unread() {
    std::set<std::string> read{names_.back()};
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      if (!read.contains((*node)["name"])) continue;
      const Json from = (*node)["from"];
      for (const Json& name : from.is_array() ? from : Json::array({from})) read.insert(name.get<std::string>());
      if (node->contains("share")) read.insert((*node)["share"].get<std::string>());
    }
    Json left = Json::array();
    for (const Json& node : nodes_) {
      if (read.contains(node["name"])) left.push_back(node);
    }
    nodes_ = std::move(left);
  }

  RandomStream random_;
  const model::Interface& interface_;
  Json nodes_ = Json::array();
  std::vector<std::string> names_;
};

}  // namespace dlrun::ablation
