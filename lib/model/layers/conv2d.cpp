// SPDX-License-Identifier: Apache-2.0
// conv2d: cross-correlation over [C, H, W], sizes as torch.nn.Conv2d computes them.
#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/shape.hpp"
#include "model/window.hpp"

namespace dlrun::model::layers {

namespace {

/// Padding that keeps the size: dilation * (k - 1) zeros in all, the odd one at the end, as PyTorch does.
void pad_same(Layer& layer, Window& window) {
  if (window.stride != Pair{1, 1}) {
    layer.fail("pad", "`pad: same` needs stride 1",
               fmt::format("write the padding as a number, e.g. pad: {}", window.k[0] / 2));
  }
  for (int axis = 0; axis < 2; ++axis) {
    const std::int64_t total = window.dilation[axis] * (window.k[axis] - 1);
    window.pad[axis] = total / 2;
    window.pad_end[axis] = total % 2;
  }
}

Window window_of(Layer& layer) {
  Window window{layer.pair("k"), layer.pair("stride"), {}, {}, layer.pair("dilation")};
  const Json& pad = layer.node.attributes["pad"];
  if (pad == "same") {
    pad_same(layer, window);
  } else if (pad != "valid") {
    window.pad = pad.get<Pair>();
  }
  layer.node.attributes["pad"] = window.pad;
  layer.node.attributes["pad_end"] = window.pad_end;
  return window;
}

void check_groups(const Layer& layer, std::int64_t in, std::int64_t out) {
  const std::int64_t groups = layer.integer("groups");
  if (in % groups == 0 && out % groups == 0) return;
  layer.fail("groups", fmt::format("{} groups do not divide {} input and {} output channels", groups, in, out),
             "groups must divide both numbers of channels");
}

void infer(Layer& layer) {
  const std::int64_t out = layer.width("out");
  layer.require_image();
  const std::int64_t in = layer.in()[0];
  layer.derive("in", in);
  check_groups(layer, in, out);
  const Window window = window_of(layer);
  const Pair size = slide(layer, window);
  layer.node.out = {out, size[0], size[1]};
  const std::int64_t fan_in = in / layer.integer("groups");
  layer.add_tensor("weight", {out, fan_in, window.k[0], window.k[1]});
  if (layer.bias()) layer.add_tensor("bias", {out});
  layer.count_operations(product(product(fan_in, window.k[0]), window.k[1]));
}

}  // namespace

LayerRule conv2d() {
  LayerRule rule;
  rule.kind = {
      "conv2d",
      {{.name = "out",
        .type = "int-or-enum:classes|targets",
        .required = true,
        .low = 1,
        .text = "number of output channels"},
       {.name = "k", .type = "int-or-pair", .required = true, .low = 1, .text = "size of the kernel"},
       {.name = "stride", .type = "int-or-pair", .fallback = 1, .low = 1, .text = "step of the kernel"},
       {.name = "pad",
        .type = "int-or-pair-or-enum:same|valid",
        .fallback = 0,
        .low = 0,
        .text = "zeros at each side; same keeps the size (stride 1 only), valid is 0"},
       {.name = "dilation", .type = "int-or-pair", .fallback = 1, .low = 1, .text = "distance of kernel points"},
       {.name = "groups",
        .type = "int",
        .fallback = 1,
        .low = 1,
        .text = "channels are convolved in this many separate groups"},
       {.name = "bias", .type = "bool-or-enum:auto", .fallback = "auto", .text = "auto: true unless a norm follows"},
       {.name = "in", .type = "int", .derived = true, .low = 1, .text = "number of input channels"}},
      "two-dimensional convolution"};
  rule.infer = infer;
  return rule;
}

}  // namespace dlrun::model::layers
