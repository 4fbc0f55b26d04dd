// SPDX-License-Identifier: Apache-2.0
// Functions of single elements (softmax: of the last size), without parameters to learn.
#include "model/layers/layers.hpp"

namespace dlrun::model::layers {

namespace {

void infer(Layer& layer) {
  layer.node.out = layer.in();
  layer.count_operations(1);
}

void infer_identity(Layer& layer) { layer.node.out = layer.in(); }

Shape guess(const Node& node) { return node.in[0]; }

bool always(const Node&) { return true; }

LayerRule activation(const char* op, const char* text, std::vector<Attribute> attributes = {}) {
  LayerRule rule;
  rule.kind = {op, std::move(attributes), text};
  rule.infer = infer;
  rule.guess = guess;
  return rule;
}

LayerRule identity() {
  LayerRule rule = activation("identity", "x, unchanged");
  rule.infer = infer_identity;
  rule.is_identity = always;
  return rule;
}

}  // namespace

std::vector<LayerRule> activations() {
  return {
      identity(),
      activation("relu", "max(0, x)"),
      activation("leaky_relu", "x where positive, else slope * x",
                 {{.name = "slope", .type = "float", .fallback = 0.01, .low = 0, .high = 1, .text = "slope below 0"}}),
      activation("elu", "x where positive, else alpha * (exp(x) - 1)",
                 {{.name = "alpha", .type = "float", .fallback = 1.0, .low = 0, .high = 100, .text = "limit below 0"}}),
      activation(
          "gelu", "x * Phi(x)",
          {{.name = "approximate", .type = "enum:none|tanh", .fallback = "none", .text = "tanh: the cheap form"}}),
      activation("silu", "x * sigmoid(x)"),
      activation("sigmoid", "1 / (1 + exp(-x))"),
      activation("tanh", "hyperbolic tangent"),
      activation("softplus", "log(1 + exp(beta * x)) / beta",
                 {{.name = "beta", .type = "float", .fallback = 1.0, .low = 1e-6, .high = 1e6, .text = "sharpness"}}),
      activation("softmax", "exp(x) / sum(exp(x)) over the last size; cross_entropy wants the values before it"),
  };
}

}  // namespace dlrun::model::layers
