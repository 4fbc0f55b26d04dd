// SPDX-License-Identifier: Apache-2.0
// avgpool: the mean of each window. torch.nn.AvgPool1d, 2d, 3d by the shape.
#include "model/layers/layers.hpp"
#include "model/pool.hpp"

namespace dlrun::model::layers {

LayerRule avgpool() {
  LayerRule rule;
  rule.kind = {"avgpool", pool_attributes(), "mean of each window, 1d to 3d by the shape"};
  rule.kind.attributes.push_back(
      {.name = "count_include_pad", .type = "bool", .fallback = true, .text = "count the padding's zeros in the mean"});
  rule.infer = infer_pool;
  return rule;
}

}  // namespace dlrun::model::layers
