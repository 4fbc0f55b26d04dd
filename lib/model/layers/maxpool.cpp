// SPDX-License-Identifier: Apache-2.0
// maxpool: the greatest value of each window; padding counts as minus infinity.
#include "model/layers/layers.hpp"
#include "model/pool.hpp"

namespace dlrun::model::layers {

LayerRule maxpool() {
  LayerRule rule;
  rule.kind = {"maxpool", pool_attributes(), "greatest value of each window"};
  rule.infer = infer_pool;
  return rule;
}

}  // namespace dlrun::model::layers
