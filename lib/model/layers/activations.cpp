// SPDX-License-Identifier: Apache-2.0
// Functions of single elements (softmax, log_softmax: of the last size), by torch.nn's names in lower case; prelu
// learns its slope, glu halves a size.
#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

void infer_activations(Layer& layer) {
  layer.node.out = layer.in();
  layer.count_operations(1);
}

void infer_identity(Layer& layer) { layer.node.out = layer.in(); }

Shape guess_activations(const Node& node) { return node.in[0]; }

bool always(const Node&) { return true; }

LayerRule activation(const char* op, const char* text, options::Table attributes = {}) {
  LayerRule rule;
  rule.kind = {op, text, std::move(attributes)};
  rule.infer = infer_activations;
  rule.guess = guess_activations;
  return rule;
}

options::Key number(const char* name, double fallback, double low, double high, const char* text) {
  return real(name, text).from(low).to(high).with(fallback);
}

/// tanh(x) and the like: what has no numbers of its own.
std::vector<LayerRule> plain() {
  return {activation("relu", "max(0, x)"),
          activation("relu6", "min(max(0, x), 6)"),
          activation("silu", "x * sigmoid(x)"),
          activation("mish", "x * tanh(softplus(x))"),
          activation("selu", "elu with the scale that keeps mean 0 and variance 1"),
          activation("sigmoid", "1 / (1 + exp(-x))"),
          activation("hardsigmoid", "min(max(0, x + 3), 6) / 6"),
          activation("hardswish", "x * hardsigmoid(x)"),
          activation("logsigmoid", "log(sigmoid(x))"),
          activation("tanh", "hyperbolic tangent"),
          activation("tanhshrink", "x - tanh(x)"),
          activation("softsign", "x / (1 + |x|)"),
          activation("softmax", "exp(x) / sum(exp(x)) over the last size; cross_entropy wants the values before it"),
          activation("log_softmax", "log(softmax(x)) over the last size; cross_entropy wants the values before it")};
}

std::vector<LayerRule> with_numbers() {
  const options::Key lambda = number("lambd", 0.5, 0, 1e6, "half the width of the band that becomes 0");
  return {
      activation("leaky_relu", "x where positive, else slope * x", {number("slope", 0.01, 0, 1, "slope below 0")}),
      activation("elu", "x where positive, else alpha * (exp(x) - 1)", {number("alpha", 1.0, 0, 100, "limit below 0")}),
      activation("celu", "x where positive, else alpha * (exp(x / alpha) - 1)",
                 {number("alpha", 1.0, 1e-3, 100, "limit below 0")}),
      activation("softplus", "log(1 + exp(beta * x)) / beta", {number("beta", 1.0, 1e-6, 1e6, "sharpness")}),
      activation("softshrink", "x moved towards 0 by lambd, 0 in between", {lambda}),
      activation("hardshrink", "x where beyond lambd, else 0", {lambda})};
}

void infer_hardtanh(Layer& layer) {
  if (layer.real("min") >= layer.real("max")) {
    layer.fail("min", fmt::format("{} is not below {}", layer.real("min"), layer.real("max")), "min must be below max");
  }
  infer_activations(layer);
}

LayerRule hardtanh() {
  LayerRule rule =
      activation("hardtanh", "x kept between min and max",
                 {number("min", -1.0, -1e6, 1e6, "lowest value"), number("max", 1.0, -1e6, 1e6, "highest value")});
  rule.infer = infer_hardtanh;
  return rule;
}

LayerRule threshold() {
  return activation("threshold", "x where above threshold, else value",
                    {number("threshold", 0.0, -1e6, 1e6, "where it begins"),
                     number("value", 0.0, -1e6, 1e6, "what stands for all below")});
}

void infer_prelu(Layer& layer) {
  infer_activations(layer);
  layer.add_tensor("weight", {layer.flag("per_channel") ? layer.in()[0] : 1});
}

LayerRule prelu() {
  LayerRule rule = activation("prelu", "leaky_relu with a learned slope",
                              {number("init", 0.25, -100, 100, "the slope's first value"),
                               boolean("per_channel", "a slope for each place of the first size").with(false)});
  rule.infer = infer_prelu;
  return rule;
}

void infer_glu(Layer& layer) {
  const auto dim =
      layer.node.attributes["dim"].is_null() ? layer.in().size() - 1 : layer.node.attributes["dim"].get<std::size_t>();
  if (dim >= layer.in().size()) {
    layer.fail("dim", fmt::format("the input {} has no dim {}", to_text(layer.in()), dim),
               "dim counts from 0, without the batch");
  }
  if (layer.in()[dim] % 2 != 0) {
    layer.fail("", fmt::format("glu halves size {} of {}, which is odd", dim, to_text(layer.in())));
  }
  layer.node.attributes["dim"] = dim;
  layer.node.out = layer.in();
  layer.node.out[dim] /= 2;
  layer.count_operations(1);
}

LayerRule glu() {
  LayerRule rule = activation("glu", "the first half times the sigmoid of the second",
                              {integer("dim", "which size; by default the last").from(0).to(3)});
  rule.infer = infer_glu;
  rule.guess = nullptr;
  return rule;
}

LayerRule gelu() {
  return activation("gelu", "x * Phi(x)",
                    {choice("approximate", "tanh: the cheap form", {"none", "tanh"}).with("none")});
}

LayerRule identity() {
  LayerRule rule = activation("identity", "x, unchanged");
  rule.infer = infer_identity;
  rule.is_identity = always;
  return rule;
}

}  // namespace

std::vector<LayerRule> activations() {
  std::vector<LayerRule> rules = plain();
  for (LayerRule& rule : with_numbers()) rules.push_back(std::move(rule));
  for (const LayerRule& rule : {identity(), gelu(), hardtanh(), threshold(), prelu(), glu()}) rules.push_back(rule);
  return rules;
}

}  // namespace dlrun::model::layers
