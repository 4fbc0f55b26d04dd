// SPDX-License-Identifier: Apache-2.0
// conv1d, conv2d, conv3d: cross-correlation over [C, …sizes], sizes as torch.nn.Conv1d … Conv3d compute them.
#include <fmt/format.h>

#include "model/conv.hpp"
#include "model/layers/layers.hpp"
#include "model/shape.hpp"
#include "model/window.hpp"

namespace dlrun::model::layers {

namespace {

/// Padding that keeps the size: dilation * (k - 1) zeros in all, the odd one at the end, as PyTorch does.
void pad_same(Layer& layer, Window& window) {
  for (std::size_t axis = 0; axis < window.k.size(); ++axis) {
    if (window.stride[axis] != 1) {
      layer.fail("pad", "`pad: same` needs stride 1",
                 fmt::format("write the padding as a number, e.g. pad: {}", window.k[0] / 2));
    }
    const std::int64_t total = window.dilation[axis] * (window.k[axis] - 1);
    window.pad[axis] = total / 2;
    window.pad_end[axis] = total % 2;
  }
}

Window window_of(Layer& layer, std::size_t count) {
  Window window{layer.sizes("k", count), layer.sizes("stride", count), Shape(count, 0), Shape(count, 0),
                layer.sizes("dilation", count)};
  const Json& pad = layer.node.attributes["pad"];
  if (pad == "same") {
    pad_same(layer, window);
  } else if (pad != "valid") {
    window.pad = layer.sizes("pad", count);
  }
  layer.node.attributes["pad"] = window.pad;
  layer.node.attributes["pad_end"] = window.pad_end;
  return window;
}

void infer_conv(Layer& layer) {
  const std::int64_t out = layer.width("out");
  const std::size_t count = require_directions(layer);
  const std::int64_t in = layer.in()[0];
  layer.derive("in", in);
  const std::int64_t groups = groups_of(layer, in, out);
  const Window window = window_of(layer, count);
  layer.node.out = image_of(out, slide(layer, window));
  Shape weight{out, in / groups};
  weight.insert(weight.end(), window.k.begin(), window.k.end());
  layer.add_tensor("weight", weight);
  if (layer.bias()) layer.add_tensor("bias", {out});
  layer.count_operations(product(in / groups, volume(window.k)));
}

LayerRule convolution(const char* op, options::Form sizes, const char* text) {
  LayerRule rule;
  rule.kind = {op, text, convolution_attributes(sizes)};
  rule.kind.table.insert(rule.kind.table.begin() + 3,
                         integer("pad", "zeros at each side; same keeps the size (stride 1 only), valid is 0")
                             .or_a(sizes)
                             .or_word("same")
                             .or_word("valid")
                             .from(0)
                             .with(0));
  rule.infer = infer_conv;
  return rule;
}

}  // namespace

LayerRule conv1d() { return convolution("conv1d", Form::integers, "convolution over [channels, length]"); }
LayerRule conv2d() { return convolution("conv2d", Form::pair, "two-dimensional convolution"); }
LayerRule conv3d() {
  return convolution("conv3d", Form::integers, "convolution over [channels, depth, height, width]");
}

}  // namespace dlrun::model::layers
