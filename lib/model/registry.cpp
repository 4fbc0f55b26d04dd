// SPDX-License-Identifier: Apache-2.0
// The one visible list of layer kinds. To add one: a file in layers/, a line in layers/layers.hpp, a line here.
#include "model/layer.hpp"
#include "model/layers/layers.hpp"

namespace dlrun::model {

namespace {

std::vector<LayerRule> all_rules() {
  std::vector<LayerRule> rules{
      layers::linear(),  layers::conv2d(),           layers::batchnorm(), layers::layernorm(), layers::maxpool(),
      layers::avgpool(), layers::adaptive_avgpool(), layers::dropout(),   layers::flatten(),   layers::reshape(),
      layers::add(),     layers::multiply(),         layers::concat(),    layers::residual(),  layers::group()};
  for (LayerRule& rule : layers::activations()) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace

const std::vector<LayerRule>& layer_rules() {
  static const std::vector<LayerRule> rules = all_rules();
  return rules;
}

const LayerRule* find_rule(const std::string& op) {
  for (const LayerRule& rule : layer_rules()) {
    if (rule.kind.op == op) return &rule;
  }
  return nullptr;
}

const std::vector<LayerKind>& layer_kinds() {
  static const std::vector<LayerKind> kinds = [] {
    std::vector<LayerKind> result;
    for (const LayerRule& rule : layer_rules()) result.push_back(rule.kind);
    return result;
  }();
  return kinds;
}

}  // namespace dlrun::model
