// SPDX-License-Identifier: Apache-2.0
// Layers of plugins: sizes and tensors out of plugin.yaml, and every fault of it.
#include <unistd.h>

#include <filesystem>

#include "model/plugin_layer.hpp"
#include "plugin/taken.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace plugin_layer_test {

using namespace dlrun;
using namespace dlrun::model;

namespace {

constexpr const char* kHead = "plugin: mine\nkind: layer\nversion: 1.0.0\nabout: a layer\n";

plugin::Manifest manifest_of(const std::string& rest) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("dlrun-layer-" + std::to_string(::getpid()) + ".yaml");
  write_file(file, kHead + rest, {.durable = false});
  try {
    plugin::Manifest manifest = plugin::read_manifest(file.string(), check_declaration);
    std::filesystem::remove(file);
    return manifest;
  } catch (...) {
    std::filesystem::remove(file);
    throw;
  }
}

std::string refusal_of(const std::string& rest) {
  try {
    manifest_of(rest);
    return "none";
  } catch (const Error& fault) {
    return fault.what();
  }
}

Node node_of(std::vector<Shape> in, Json attributes = Json::object()) {
  Node node;
  node.name = node.op = "mine";
  node.path = "nodes.0";
  node.in = std::move(in);
  node.attributes = std::move(attributes);
  return node;
}

std::string fault_of(const plugin::Manifest& manifest, const Node& node) {
  try {
    plugin_facts(manifest, node);
    return "none";
  } catch (const ModelError& fault) {
    return fault.path() + ": " + fault.what() + (fault.hint().empty() ? "" : " (" + fault.hint() + ")");
  }
}

constexpr const char* kAttention = R"(
keys:
  - {name: heads, type: integer, text: heads, from: 1, default: 2}
  - {name: bias, type: boolean, text: a bias, default: true}
inputs: [[L, D], [S, D]]
let: {head: D / heads, all: 3 * head * heads}
output: [L, 2 * D]
tensors:
  - {name: weight, shape: [all, D], init: fan_in}
  - {name: bias, shape: [all], init: zeros, when: bias}
  - {name: mean, shape: [head], init: uniform, bound: 1 / D, trainable: false}
require:
  - {that: D % heads == 0, at: heads, message: "{heads} heads do not divide {D}", hint: take another}
operations: L * S * D
)";

}  // namespace

TEST_CASE("a plugin's layer declares its sizes", "[model][plugins]") {
  const plugin::Manifest manifest = manifest_of(kAttention);
  const PluginFacts facts = plugin_facts(manifest, node_of({{7, 8}, {5, 8}}, {{"heads", 4}, {"bias", true}}));
  CHECK(facts.out == Shape{7, 16});
  CHECK(facts.operations == 7 * 5 * 8);
  REQUIRE(facts.tensors.size() == 3);
  CHECK(facts.tensors[0].shape == Shape{24, 8});
  CHECK(facts.tensors[1].shape == Shape{24});
  CHECK(facts.tensors[2].shape == Shape{2});
  CHECK(facts.tensors[2].number == 0.125);
  CHECK_FALSE(facts.tensors[2].trainable);
  CHECK(facts.names.at("head") == 2);
  CHECK(plugin_facts(manifest, node_of({{7, 8}, {5, 8}}, {{"heads", 4}, {"bias", false}})).tensors.size() == 2);
}

TEST_CASE("inputs that do not fit a plugin's layer", "[model][plugins]") {
  const plugin::Manifest manifest = manifest_of(kAttention);
  const Json attributes{{"heads", 3}, {"bias", true}};
  CHECK(fault_of(manifest, node_of({{8}, {5, 8}}, attributes)) ==
        "nodes.0: 'mine': mine needs an input [L, D], but gets [8]");
  CHECK(fault_of(manifest, node_of({{7, 8}, {5, 9}}, attributes)) ==
        "nodes.0: 'mine': mine needs an input [S, D] with D = 8, but gets [5, 9]");
  CHECK(fault_of(manifest, node_of({{7, 8}, {5, 8}}, attributes)) ==
        "nodes.0.heads: 'mine': 3 heads do not divide 8 (take another)");
  const plugin::Manifest fixed = manifest_of("inputs: [['...', 3]]\noutput: ['...', 3 / 2]\n");
  CHECK(fault_of(fixed, node_of({{7, 4}})) == "nodes.0: 'mine': mine needs an input [..., 3], but gets [7, 4]");
  CHECK(
      fault_of(fixed, node_of({{7, 3}})) ==
      "nodes.0: 'mine': `output` of plugin 'mine': \"3 / 2\" is 1.5, which is no size (a size is a whole number of at "
      "least 1)");
}

TEST_CASE("'...' stands for any sizes", "[model][plugins]") {
  const plugin::Manifest manifest = manifest_of("inputs: [['...', D]]\noutput: ['...', 2 * D]\n");
  CHECK(plugin_facts(manifest, node_of({{3}})).out == Shape{6});
  CHECK(plugin_facts(manifest, node_of({{4, 5, 3}})).out == Shape{4, 5, 6});
}

TEST_CASE("faults of a layer's plugin.yaml have their places", "[model][plugins]") {
  const std::string input = "inputs: [[L, D]]\noutput: [L, D]\n";
  CHECK_THAT(refusal_of("inputs: [[L, D]]\noutput: [L, E]\n"), Contains("yaml:6:13") && Contains("'E' has no value"));
  CHECK_THAT(refusal_of(input + "let: {a: b + 1, b: a}\n"), Contains("needs its own value"));
  CHECK_THAT(refusal_of(input + "let: {D: 3}\n"), Contains("there are two values 'D'"));
  CHECK_THAT(refusal_of(input + "let: {a: 3 *}\n"), Contains("it ends too early"));
  CHECK_THAT(refusal_of(input + "require: [{that: D % 2, message: odd}]\n"), Contains("'D % 2' compares nothing"));
  CHECK_THAT(refusal_of(input + "tensors: [{name: w, shape: [D], init: uniform}]\n"),
             Contains("'bound' belongs to init: uniform"));
  CHECK_THAT(refusal_of("inputs: []\noutput: [1]\n"), Contains("a layer has at least one input"));
  CHECK_THAT(refusal_of(input + "keys: [{name: share, type: real, text: a share}]\n"),
             Contains("dlrun reads the key 'share' itself"));
  CHECK(refusal_of(input + "let: {a: 1 / (D - 1)}\n") == "none");
}

TEST_CASE("no plugin can have the name of a layer kind", "[model][plugins]") {
  for (const LayerRule& rule : layer_rules()) {
    INFO(rule.kind.name);
    CHECK((rule.is_plugin || plugin::is_built_in(plugin::Kind::layer, rule.kind.name)));
  }
  CHECK_FALSE(plugin::is_built_in(plugin::Kind::layer, "mine"));
}

}  // namespace plugin_layer_test
