// SPDX-License-Identifier: Apache-2.0
// squeeze_excitation: gates each channel by what all channels hold on average (Hu, Shen, Sun, CVPR 2018). Tensors as
// torchvision.ops.SqueezeExcitation: fc1 and fc2 are 1x1 convolutions.
#include "model/layers/layers.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

void infer_squeeze_excitation(Layer& layer) {
  layer.require_image();
  const std::int64_t channels = layer.in()[0];
  const std::int64_t squeeze = layer.integer("squeeze");
  layer.derive("in", channels);
  layer.node.out = layer.in();
  layer.add_tensor("fc1.weight", {squeeze, channels, 1, 1});
  layer.add_tensor("fc1.bias", {squeeze});
  layer.add_tensor("fc2.weight", {channels, squeeze, 1, 1});
  layer.add_tensor("fc2.bias", {channels});
  layer.count_operations(2);
  layer.node.operations = sum(layer.node.operations, product(2, product(channels, squeeze)));
}

Shape guess_squeeze_excitation(const Node& node) { return node.in[0]; }

}  // namespace

LayerRule squeeze_excitation() {
  LayerRule rule;
  rule.kind = {"squeeze_excitation",
               "each channel times a gate computed from the means of all channels",
               {integer("squeeze", "channels in between").from(1).must(),
                choice("activation", "between fc1 and fc2", {"relu", "silu"}).with("relu"),
                choice("gate", "after fc2", {"sigmoid", "hardsigmoid"}).with("sigmoid"),
                integer("in", "number of channels").from(1).inferred()}};
  rule.infer = infer_squeeze_excitation;
  rule.guess = guess_squeeze_excitation;
  return rule;
}

}  // namespace dlrun::model::layers
