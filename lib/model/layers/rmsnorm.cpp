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
               {{.name = "eps",
                 .type = "float",
                 .fallback = kFloatEpsilon,
                 .low = 0,
                 .high = 1,
                 .text = "added to the mean square"},
                {.name = "affine", .type = "bool", .fallback = true, .text = "learn a scale per element"},
                {.name = "shape",
                 .type = "shape",
                 .derived = true,
                 .low = 1,
                 .text = "the last sizes it is taken over; by default the last one, of an image all"}},
               "division by the root of the mean square, over the last size, or an image's all"};
  rule.infer = infer_rmsnorm;
  rule.guess = guess_rmsnorm;
  return rule;
}

}  // namespace dlrun::model::layers
