// SPDX-License-Identifier: Apache-2.0
// maxpool: the greatest value of each window; padding counts as minus infinity. torch.nn.MaxPool1d, 2d, 3d by the
// shape.
#include "model/layers/layers.hpp"
#include "model/pool.hpp"

namespace dlrun::model::layers {

LayerRule maxpool() {
  LayerRule rule;
  rule.kind = {"maxpool", "greatest value of each window, 1d to 3d by the shape", pool_attributes()};
  rule.kind.table.push_back(
      integer("dilation", "distance of the window's points").or_a(Form::integers).from(1).with(1));
  rule.infer = infer_pool;
  return rule;
}

}  // namespace dlrun::model::layers
