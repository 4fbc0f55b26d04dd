// SPDX-License-Identifier: Apache-2.0
// batchnorm: each channel (the first size) to mean 0 and variance 1 over the batch and all positions:
// torch.nn.BatchNorm1d for [F] and [C, L], BatchNorm2d for [C, H, W], BatchNorm3d for [C, D, H, W], with running
// statistics (Ioffe, Szegedy, ICML 2015).
#include "model/layers/layers.hpp"

namespace dlrun::model::layers {

namespace {

void infer_batchnorm(Layer& layer) {
  const std::int64_t channels = layer.in()[0];
  layer.derive("num_features", channels);
  layer.node.out = layer.in();
  if (layer.flag("affine")) {
    layer.add_tensor("weight", {channels});
    layer.add_tensor("bias", {channels});
  }
  layer.add_tensor("running_mean", {channels}, false);
  layer.add_tensor("running_var", {channels}, false);
  layer.add_tensor("num_batches_tracked", {}, false);
  layer.count_operations(1);
}

Shape guess_batchnorm(const Node& node) { return node.in[0]; }

}  // namespace

LayerRule batchnorm() {
  LayerRule rule;
  rule.kind = {"batchnorm",
               "batch normalisation, 1d to 3d by the shape",
               {real("eps", "added to the variance").from(0).to(1).with(1e-5),
                real("momentum", "weight of a new batch in the running statistics").from(0).to(1).with(0.1),
                boolean("affine", "learn a scale and a shift per channel").with(true),
                integer("num_features", "number of channels").from(1).inferred()}};
  rule.infer = infer_batchnorm;
  rule.guess = guess_batchnorm;
  rule.is_norm = true;
  return rule;
}

}  // namespace dlrun::model::layers
