// SPDX-License-Identifier: Apache-2.0
#include "model/plugin_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/expression.hpp"
#include "model/plugin_names.hpp"
#include "model/shape.hpp"
#include "plugin/found.hpp"

namespace dlrun::model {

namespace {

bool has_rest(const Json& pattern) { return !pattern.empty() && pattern[0] == "..."; }

/// "[L, D]"
std::string pattern_text(const Json& pattern) {
  std::string text;
  for (const Json& item : pattern)
    text += (text.empty() ? "" : ", ") + (item.is_string() ? item.get<std::string>() : item.dump());
  return '[' + text + ']';
}

/// One layer, worked out step by step.
class Evaluation {
 private:
  /// A fault in the arithmetic is the plugin's, but the layer is where a person sees it.
  template <class Work>
  auto guarded(const std::string& key, Work work) {
    try {
      return work();
    } catch (const ExpressionFault& fault) {
      fail("", fmt::format("`{}` of plugin '{}': {}", key, node_.op, fault.what()), fault.hint());
    }
  }

 public:
  Evaluation(const plugin::Manifest& manifest, const Node& node)
      : whole_(manifest.whole), node_(node), names_(whole_.at("let")) {
    for (const options::Key& key : manifest.keys) bind_key(key.name);
  }

  PluginFacts evaluate() {
    for (std::size_t i = 0; i < whole_.at("inputs").size(); ++i) bind_input(whole_["inputs"][i], node_.in.at(i));
    require_all();
    facts_.out = output();
    for (const Json& one : whole_.at("tensors")) add_tensor(one);
    facts_.operations = operations();
    facts_.names = guarded("let", [&] { return names_.all(); });
    return std::move(facts_);
  }

 private:
  [[noreturn]] void fail(const std::string& attribute, const std::string& message, const std::string& hint = {}) const {
    throw ModelError(attribute.empty() ? node_.path : node_.path + '.' + attribute,
                     fmt::format("'{}': {}", node_.name, message), hint);
  }

  void bind_key(const std::string& name) {
    const Json value = node_.attributes.value(name, Json());
    if (value.is_boolean()) names_.set(name, value.get<bool>() ? 1 : 0);
    if (value.is_number()) names_.set(name, value.get<double>());
  }

  void bind_input(const Json& pattern, const Shape& shape) {
    const std::size_t sizes = pattern.size() - (has_rest(pattern) ? 1 : 0);
    const bool fits = has_rest(pattern) ? shape.size() >= sizes : shape.size() == sizes;
    if (!fits) refuse_input(pattern, shape);
    for (std::size_t i = 0; i < sizes; ++i)
      bind_size(pattern[pattern.size() - 1 - i], shape[shape.size() - 1 - i], pattern, shape);
  }

  void bind_size(const Json& item, std::int64_t size, const Json& pattern, const Shape& shape) {
    if (item.is_number()) return item == size ? void() : refuse_input(pattern, shape);
    const auto name = item.get<std::string>();
    const double* known = names_.find(name);
    if (known == nullptr) return names_.set(name, double(size));
    if (*known != double(size))
      fail("", fmt::format("{} needs an input {} with {} = {:g}, but gets {}", node_.op, pattern_text(pattern), name,
                           *known, to_text(shape)));
  }

  [[noreturn]] void refuse_input(const Json& pattern, const Shape& shape) const {
    fail("", fmt::format("{} needs an input {}, but gets {}", node_.op, pattern_text(pattern), to_text(shape)));
  }

  void require_all() {
    for (const Json& one : whole_.at("require")) {
      if (guarded("require", [&] { return names_.holds(one.at("that")); })) continue;
      fail(one.value("at", Json()).is_string() ? one["at"].get<std::string>() : "", names_.filled(one.at("message")),
           names_.filled(one.at("hint")));
    }
  }

  Shape output() {
    const Json& pattern = whole_.at("output");
    Shape out;
    if (has_rest(pattern)) {
      const Shape& first = node_.in.front();
      out.assign(first.begin(), first.end() - std::ptrdiff_t(whole_["inputs"][0].size() - 1));
    }
    for (std::size_t i = has_rest(pattern) ? 1 : 0; i < pattern.size(); ++i)
      out.push_back(guarded("output", [&] { return names_.size(pattern[i]); }));
    return out;
  }

  void add_tensor(const Json& one) {
    if (guarded("tensors", [&] { return names_.value(one.at("when")); }) == 0) return;
    PluginTensor tensor{one.at("name"), {}, one.at("trainable"), one.at("init")};
    for (const Json& size : one.at("shape"))
      tensor.shape.push_back(guarded("tensors", [&] { return names_.size(size); }));
    const char* number = tensor.init == "uniform" ? "bound" : tensor.init == "normal" ? "std" : nullptr;
    if (number != nullptr) tensor.number = guarded("tensors", [&] { return names_.value(one.at(number)); });
    facts_.tensors.push_back(std::move(tensor));
  }

  std::int64_t operations() {
    const double count = guarded("operations", [&] { return names_.value(whole_.at("operations")); });
    constexpr double kMost = 0x1p62;
    return std::int64_t(std::clamp(std::floor(count), 0.0, kMost));
  }

  const Json& whole_;
  const Node& node_;
  PluginNames names_;
  PluginFacts facts_;
};

void infer_plugin(const plugin::Manifest& manifest, Layer& layer) {
  PluginFacts facts = plugin_facts(manifest, layer.node);
  layer.node.out = std::move(facts.out);
  for (PluginTensor& tensor : facts.tensors) layer.add_tensor(tensor.name, std::move(tensor.shape), tensor.trainable);
  layer.node.operations = facts.operations;
}

Shape guess_plugin(const plugin::Manifest& manifest, const Node& node) {
  if (std::any_of(node.in.begin(), node.in.end(), [](const Shape& shape) { return shape.empty(); })) return {};
  try {
    return plugin_facts(manifest, node).out;
  } catch (const ModelError&) {
    return {};
  }
}

LayerRule rule_of(const plugin::Manifest& manifest) {
  LayerRule rule;
  rule.kind = {manifest.name, manifest.about, manifest.keys};
  rule.least_inputs = rule.most_inputs = manifest.whole.at("inputs").size();
  rule.reads_indices = manifest.whole.at("indices");
  rule.is_random = manifest.whole.at("random");
  rule.is_plugin = true;
  rule.infer = [&manifest](Layer& layer) { infer_plugin(manifest, layer); };
  rule.guess = [&manifest](const Node& node) { return guess_plugin(manifest, node); };
  return rule;
}

}  // namespace

PluginFacts plugin_facts(const plugin::Manifest& manifest, const Node& node) {
  return Evaluation(manifest, node).evaluate();
}

std::vector<LayerRule> plugin_rules() {
  std::vector<LayerRule> rules;
  for (const plugin::Found* found : plugin::all_of(plugin::Kind::layer)) rules.push_back(rule_of(*found->manifest));
  return rules;
}

}  // namespace dlrun::model
