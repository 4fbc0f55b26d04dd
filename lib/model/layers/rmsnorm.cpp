// SPDX-License-Identifier: Apache-2.0
// rmsnorm: x / sqrt(mean(x^2) + eps) times a learned scale (Zhang, Sennrich, NeurIPS 2019), over the last size of [F]
// and [L, F], over all of [C, H, W] as layernorm. torch.nn.RMSNorm.
#include "model/layers/layers.hpp"
#include "model/norm.hpp"

namespace dlrun::model::layers {

namespace {

constexpr double kFloatEpsilon = 0x1p-23;  // PyTorch's where no eps is given

void infer_rmsnorm(Layer& layer) {
  const Shape shape = normalised_sizes(layer);
  layer.node.out = layer.in();
  if (layer.flag("affine")) layer.add_tensor("weight", shape);
  layer.count_operations(1);
}

Shape guess_rmsnorm(const Node& node) { return node.in[0]; }

}  // namespace

LayerRule rmsnorm() {
  LayerRule rule;
  rule.kind = {"rmsnorm",
               "division by the root of the mean square, over the last size, or an image's all",
               {real("eps", "added to the mean square").from(0).to(1).with(kFloatEpsilon),
                boolean("affine", "learn a scale per element").with(true),
                key(Form::shape, "shape", "the last sizes it is taken over; by default the last one, of an image all")
                    .from(1)
                    .inferred()}};
  rule.infer = infer_rmsnorm;
  rule.guess = guess_rmsnorm;
  return rule;
}

}  // namespace dlrun::model::layers
