// SPDX-License-Identifier: Apache-2.0
// conv_transpose1d, 2d, 3d: the convolution that makes the image larger, the gradient of conv by its input. Sizes and
// the weight [in, out / groups, …k] as torch.nn.ConvTranspose1d … ConvTranspose3d.
#include <algorithm>

#include <fmt/format.h>

#include "model/conv.hpp"
#include "model/layers/layers.hpp"
#include "model/shape.hpp"
#include "model/window.hpp"

namespace dlrun::model::layers {

namespace {

std::int64_t spread(const Layer& layer, std::int64_t size, const Window& window, std::size_t axis) {
  const std::int64_t span = window.dilation[axis] * (window.k[axis] - 1) + 1;
  const std::int64_t out =
      sum(product(size - 1, window.stride[axis]), span + window.pad_end[axis]) - 2 * window.pad[axis];
  if (window.pad_end[axis] >= std::max(window.stride[axis], window.dilation[axis])) {
    layer.fail("output_padding", fmt::format("{} is not below stride {} or dilation {}", window.pad_end[axis],
                                             window.stride[axis], window.dilation[axis]));
  }
  if (out < 1)
    layer.fail("pad", fmt::format("a pad of {} leaves nothing of {}", window.pad[axis], out + 2 * window.pad[axis]));
  return out;
}

void infer_conv_transpose(Layer& layer) {
  const std::int64_t out = layer.width("out");
  const std::size_t count = require_directions(layer);
  const std::int64_t in = layer.in()[0];
  layer.derive("in", in);
  const std::int64_t groups = groups_of(layer, in, out);
  const Window window{layer.sizes("k", count), layer.sizes("stride", count), layer.sizes("pad", count),
                      layer.sizes("output_padding", count), layer.sizes("dilation", count)};
  Shape sizes;
  for (std::size_t axis = 0; axis < count; ++axis) {
    sizes.push_back(spread(layer, layer.in()[axis + 1], window, axis));
  }
  layer.node.out = image_of(out, sizes);
  Shape weight{in, out / groups};
  weight.insert(weight.end(), window.k.begin(), window.k.end());
  layer.add_tensor("weight", weight);
  if (layer.bias()) layer.add_tensor("bias", {out});
  layer.node.operations = product(elements(layer.in()), product(out / groups, volume(window.k)));
}

LayerRule transposed(const char* op, options::Form sizes, const char* text) {
  LayerRule rule;
  rule.kind = {op, text, convolution_attributes(sizes)};
  rule.kind.table.insert(rule.kind.table.begin() + 3,
                         {integer("pad", "rows taken off at each side of the output").or_a(sizes).from(0).with(0),
                          integer("output_padding", "rows added at the end of the output; below stride or dilation")
                              .or_a(sizes)
                              .from(0)
                              .with(0)});
  rule.infer = infer_conv_transpose;
  return rule;
}

}  // namespace

LayerRule conv_transpose1d() {
  return transposed("conv_transpose1d", Form::integers, "transposed convolution over [channels, length]");
}
LayerRule conv_transpose2d() {
  return transposed("conv_transpose2d", Form::pair, "transposed convolution over [channels, height, width]");
}
LayerRule conv_transpose3d() {
  return transposed("conv_transpose3d", Form::integers, "transposed convolution over [channels, depth, height, width]");
}

}  // namespace dlrun::model::layers
