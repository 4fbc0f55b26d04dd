// SPDX-License-Identifier: Apache-2.0
// adaptive_avgpool: the mean of as many windows as make the image the size asked for, as torch.nn.AdaptiveAvgPool2d.
#include "model/layers/layers.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

void infer(Layer& layer) {
  layer.require_image();
  const Pair out = layer.pair("out");
  layer.node.out = {layer.in()[0], out[0], out[1]};
  layer.node.operations = elements(layer.in());
}

}  // namespace

LayerRule adaptive_avgpool() {
  LayerRule rule;
  rule.kind = {
      "adaptive_avgpool",
      {{.name = "out", .type = "int-or-pair", .fallback = 1, .low = 1, .text = "height and width of the output"}},
      "mean of windows chosen so that the output has the size asked for"};
  rule.infer = infer;
  return rule;
}

}  // namespace dlrun::model::layers
