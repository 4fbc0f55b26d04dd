// SPDX-License-Identifier: Apache-2.0
// residual: body(x) + shortcut(x) (He et al., CVPR 2016). Expanded before shapes are inferred (expand.cpp).
#include "model/layers/layers.hpp"

namespace dlrun::model::layers {

LayerRule residual() {
  LayerRule rule;
  rule.kind = {
      "residual",
      {{.name = "body", .type = "nodes", .required = true, .text = "the layers of the branch"},
       {.name = "shortcut",
        .type = "enum:identity|projection|none-or-nodes",
        .fallback = "identity",
        .text = "projection: a 1x1 convolution (or linear) without bias to the body's shape; none: the body alone"},
       {.name = "flat",
        .type = "bool",
        .fallback = false,
        .text = "names without body and shortcut, as in PyTorch's nets: block.conv1, block.downsample.0"}},
      "sum of a branch and a shortcut around it"};
  return rule;
}

}  // namespace dlrun::model::layers
