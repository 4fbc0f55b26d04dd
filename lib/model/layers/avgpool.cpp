// SPDX-License-Identifier: Apache-2.0
// avgpool: the mean of each window. torch.nn.AvgPool1d, 2d, 3d by the shape.
#include "model/layers/layers.hpp"
#include "model/pool.hpp"

namespace dlrun::model::layers {

LayerRule avgpool() {
  LayerRule rule;
  rule.kind = {"avgpool", "mean of each window, 1d to 3d by the shape", pool_attributes()};
  rule.kind.table.push_back(boolean("count_include_pad", "count the padding's zeros in the mean").with(true));
  rule.infer = infer_pool;
  return rule;
}

}  // namespace dlrun::model::layers
