// SPDX-License-Identifier: Apache-2.0
// adaptive_avgpool, adaptive_maxpool: mean or greatest value of as many windows as make the image the size asked for.
// torch.nn.AdaptiveAvgPool1d, 2d, 3d and AdaptiveMaxPool1d, 2d, 3d by the shape.
#include "model/layers/layers.hpp"
#include "model/pool.hpp"

namespace dlrun::model::layers {

namespace {

LayerRule adaptive(const char* op, const char* text) {
  LayerRule rule;
  rule.kind = {op, text, {integer("out", "sizes of the output").or_a(Form::integers).from(1).with(1)}};
  rule.infer = infer_adaptive_pool;
  return rule;
}

}  // namespace

LayerRule adaptive_avgpool() {
  return adaptive("adaptive_avgpool", "mean of windows chosen so that the output has the size asked for");
}

LayerRule adaptive_maxpool() {
  return adaptive("adaptive_maxpool", "greatest value of windows chosen so that the output has the size asked for");
}

}  // namespace dlrun::model::layers
