// SPDX-License-Identifier: Apache-2.0
// maxpool: the greatest value of each window; padding counts as minus infinity. torch.nn.MaxPool1d, 2d, 3d by the
// shape.
#include "model/layers/layers.hpp"
#include "model/pool.hpp"

namespace dlrun::model::layers {

LayerRule maxpool() {
  LayerRule rule;
  rule.kind = {"maxpool", pool_attributes(), "greatest value of each window, 1d to 3d by the shape"};
  rule.kind.attributes.push_back(
      {.name = "dilation", .type = "int-or-ints", .fallback = 1, .low = 1, .text = "distance of the window's points"});
  rule.infer = infer_pool;
  return rule;
}

}  // namespace dlrun::model::layers
