// SPDX-License-Identifier: Apache-2.0
// residual: body(x) + shortcut(x) (He et al., CVPR 2016). Expanded before shapes are inferred (expand.cpp).
#include "model/layers/layers.hpp"

namespace dlrun::model::layers {

LayerRule residual() {
  LayerRule rule;
  rule.kind = {
      "residual",
      "sum of a branch and a shortcut around it",
      {key(Form::nodes, "body", "the layers of the branch").must(),
       choice("shortcut",
              "projection: a 1x1 convolution (or linear) without bias to the body's shape; none: the body alone",
              {"identity", "projection", "none"})
           .or_a(Form::nodes)
           .with("identity"),
       boolean("flat", "names without body and shortcut, as in PyTorch's nets: block.conv1, block.downsample.0")
           .with(false)}};
  return rule;
}

}  // namespace dlrun::model::layers
