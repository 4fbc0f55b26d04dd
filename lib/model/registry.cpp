// SPDX-License-Identifier: Apache-2.0
// The one visible list of layer kinds; those of plugins come behind. To add one: a file in layers/, a line in
// layers/layers.hpp, a line here.
#include "model/layer.hpp"
#include "model/layers/layers.hpp"
#include "model/plugin_layer.hpp"

namespace dlrun::model {

namespace {

/// Sequences, attention, graphs.
std::vector<LayerRule> sequence_rules() {
  return {layers::embedding(),
          layers::padding_mask(),
          layers::positional_encoding(),
          layers::lstm(),
          layers::gru(),
          layers::multi_head_attention(),
          layers::transformer_encoder_layer(),
          layers::transformer_decoder_layer(),
          layers::graph_attention(),
          layers::sequence_pool(),
          layers::feature_tokenizer(),
          layers::patch_embedding(),
          layers::class_token()};
}

/// Vectors and images.
std::vector<LayerRule> image_rules() {
  return {
      layers::linear(),           layers::conv1d(),           layers::conv2d(),           layers::conv3d(),
      layers::conv_transpose1d(), layers::conv_transpose2d(), layers::conv_transpose3d(), layers::batchnorm(),
      layers::layernorm(),        layers::groupnorm(),        layers::instancenorm(),     layers::rmsnorm(),
      layers::maxpool(),          layers::avgpool(),          layers::adaptive_avgpool(), layers::adaptive_maxpool(),
      layers::upsample(),         layers::pixel_shuffle(),    layers::pixel_unshuffle(),  layers::pad(),
      layers::dropout(),          layers::dropout2d(),        layers::drop_path(),        layers::squeeze_excitation()};
}

/// Layers that lead values from layer to layer.
std::vector<LayerRule> wiring_rules() {
  return {layers::flatten(), layers::reshape(),  layers::permute(),  layers::transpose(),
          layers::add(),     layers::multiply(), layers::concat(),   layers::split(),
          layers::slice(),   layers::scale(),    layers::residual(), layers::group()};
}

std::vector<LayerRule> all_rules() {
  std::vector<LayerRule> rules;
  for (auto* part : {image_rules, wiring_rules, layers::reductions, sequence_rules, layers::activations}) {
    for (LayerRule& rule : part()) rules.push_back(std::move(rule));
  }
  for (LayerRule& rule : plugin_rules()) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace

const std::vector<LayerRule>& layer_rules() {
  static const std::vector<LayerRule> rules = all_rules();
  return rules;
}

const LayerRule* find_rule(const std::string& op) {
  for (const LayerRule& rule : layer_rules()) {
    if (rule.kind.name == op) return &rule;
  }
  return nullptr;
}

const std::vector<options::Variant>& layer_kinds() {
  static const std::vector<options::Variant> kinds = [] {
    std::vector<options::Variant> result;
    for (const LayerRule& rule : layer_rules()) result.push_back(rule.kind);
    return result;
  }();
  return kinds;
}

}  // namespace dlrun::model
