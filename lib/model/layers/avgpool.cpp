// SPDX-License-Identifier: Apache-2.0
// avgpool: the mean of each window; padding counts as zeros (PyTorch's count_include_pad).
#include "model/layers/layers.hpp"
#include "model/pool.hpp"

namespace dlrun::model::layers {

LayerRule avgpool() {
  LayerRule rule;
  rule.kind = {"avgpool", pool_attributes(), "mean of each window, padding included"};
  rule.infer = infer_pool;
  return rule;
}

}  // namespace dlrun::model::layers
