// SPDX-License-Identifier: Apache-2.0
#include "train/contracts/layer_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/flat.hpp"
#include "model/plugin_layer.hpp"
#include "model/shape.hpp"
#include "util/random.hpp"

namespace dlrun::train::contracts {

namespace {

constexpr int kDraws = 3000;
constexpr std::size_t kCases = 4;
constexpr std::int64_t kMostNumbers = 1 << 16;  ///< in a tensor, so that tests take milliseconds

/// The greatest size of a draw: small ones are tried first.
std::uint64_t greatest_size(int draw) { return draw < 200 ? 8 : draw < 1000 ? 32 : 256; }

/// Sizes of the inputs, with one number for each name of plugin.yaml.
std::vector<model::Shape> draw_sizes(const Json& patterns, int draw) {
  RandomStream random(31, {"contract", "sizes", std::to_string(draw)});
  const auto size = [&] { return std::int64_t(1 + random.below(greatest_size(draw))); };
  std::map<std::string, std::int64_t> names;
  model::Shape rest;
  for (std::uint64_t left = random.below(3); left > 0; --left) rest.push_back(std::min<std::int64_t>(size(), 4));
  std::vector<model::Shape> inputs;
  for (const Json& pattern : patterns) {
    model::Shape& input = inputs.emplace_back();
    for (const Json& item : pattern) {
      if (item.is_number()) {
        input.push_back(item.get<std::int64_t>());
      } else if (item == "...") {
        input = rest;
      } else {
        input.push_back(names.try_emplace(item.get<std::string>(), size()).first->second);
      }
    }
  }
  return inputs;
}

std::string text_of(const std::vector<model::Shape>& inputs) {
  std::string text = "inputs";
  for (const model::Shape& input : inputs) text += ' ' + model::to_text(input);
  return text;
}

model::Node node_of(const Tested& tested, const std::vector<model::Shape>& inputs) {
  model::Node node;
  node.name = "tested";
  node.op = tested.plugin.manifest->name;
  node.attributes = tested.section;
  node.attributes.erase("op");
  node.in = inputs;
  const model::PluginFacts facts = model::plugin_facts(*tested.plugin.manifest, node);
  node.out = facts.out;
  for (const model::PluginTensor& tensor : facts.tensors)
    node.tensors.push_back({tensor.name, tensor.shape, tensor.trainable});
  return node;
}

bool is_small(const model::Node& node) {
  const auto fits = [](const model::Shape& shape) { return model::numel(shape) <= kMostNumbers; };
  return fits(node.out) && std::all_of(node.in.begin(), node.in.end(), fits) &&
         std::all_of(node.tensors.begin(), node.tensors.end(), [&](const auto& one) { return fits(one.shape); });
}

bool has_empty(const std::vector<model::Shape>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const model::Shape& shape) { return shape.empty(); });
}

bool is_known(const std::vector<LayerCase>& cases, const std::vector<model::Shape>& inputs) {
  return std::any_of(cases.begin(), cases.end(), [&](const LayerCase& one) { return one.node().in == inputs; });
}

}  // namespace

std::vector<LayerCase> layer_cases(const Tested& tested) {
  std::vector<LayerCase> cases;
  std::string refusal = "they make tensors that are too large";
  for (int draw = 0; draw < kDraws && cases.size() < kCases; ++draw) {
    const std::vector<model::Shape> inputs = draw_sizes(tested.manifest().at("inputs"), draw);
    if (has_empty(inputs) || is_known(cases, inputs)) continue;
    try {
      model::Node node = node_of(tested, inputs);
      if (!is_small(node)) continue;
      cases.push_back({{.interface = {}, .nodes = {std::move(node)}, .outputs = {}}, text_of(inputs)});
    } catch (const model::ModelError& fault) {
      refusal = fault.what();
    }
  }
  if (cases.empty()) throw Broken{fmt::format("plugin.yaml accepts none of {} drawn sizes: {}", kDraws, refusal)};
  return cases;
}

}  // namespace dlrun::train::contracts
