// SPDX-License-Identifier: Apache-2.0
// Layers that make images larger without weights: upsample (torch.nn.Upsample), pixel_shuffle (Shi et al., CVPR 2016)
// and its inverse, pad (torch.nn.functional.pad).
#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/shape.hpp"
#include "model/window.hpp"

namespace dlrun::model::layers {

namespace {

void check_mode(const Layer& layer, std::size_t count) {
  const std::string mode = layer.node.attributes["mode"].get<std::string>();
  const std::size_t wanted = mode == "linear" ? 1 : mode == "trilinear" ? 3 : mode == "nearest" ? count : 2;
  if (wanted != count) {
    layer.fail("mode", fmt::format("{} is for {} directions, but the input is {}", mode, wanted, to_text(layer.in())),
               count == 1   ? "take linear or nearest"
               : count == 2 ? "take bilinear or nearest"
                            : "take trilinear or nearest");
  }
  if (mode == "nearest" && layer.node.attributes["align_corners"] == true) {
    layer.fail("align_corners", "nearest has no corners to align", "take another mode, or leave it out");
  }
}

void infer_upsample(Layer& layer) {
  const std::size_t count = layer.directions();
  Json& attributes = layer.node.attributes;
  if (attributes["size"].is_null() == attributes["scale"].is_null()) {
    layer.fail(attributes["size"].is_null() ? "" : "size", "upsample needs either `scale` or `size`", "e.g. scale: 2");
  }
  check_mode(layer, count);
  if (attributes["size"].is_null()) {
    Shape sizes = layer.sizes("scale", count);
    for (std::size_t axis = 0; axis < count; ++axis) sizes[axis] = product(sizes[axis], layer.in()[axis + 1]);
    attributes["size"] = sizes;
  }
  attributes.erase("scale");  // said by `size`
  layer.node.out = image_of(layer.in()[0], layer.sizes("size", count));
  layer.count_operations(1);
}

void infer_shuffle(Layer& layer) {
  layer.require_image();
  const std::int64_t factor = layer.integer("factor");
  const std::int64_t square = product(factor, factor);
  const Shape& in = layer.in();
  if (in[0] % square != 0) {
    layer.fail("factor", fmt::format("{} channels cannot be dealt out to {} places", in[0], square),
               "the channels must be a multiple of factor * factor");
  }
  layer.node.out = {in[0] / square, product(in[1], factor), product(in[2], factor)};
}

void infer_unshuffle(Layer& layer) {
  layer.require_image();
  const std::int64_t factor = layer.integer("factor");
  const Shape& in = layer.in();
  if (in[1] % factor != 0 || in[2] % factor != 0) {
    layer.fail("factor", fmt::format("{} divides not both sizes of {}", factor, to_text(in)));
  }
  layer.node.out = {product(in[0], product(factor, factor)), in[1] / factor, in[2] / factor};
}

/// Rejects a padding wider than the mode can take from the input: a reflection has no edge of its own.
void check_pad(const Layer& layer, const std::string& mode, std::int64_t size, std::int64_t pad) {
  const std::int64_t most = mode == "reflect" ? size - 1 : mode == "circular" ? size : pad;
  if (pad > most)
    layer.fail("pad", fmt::format("{} can pad a size of {} by at most {}, not {}", mode, size, most, pad));
}

/// `pad` ends as two numbers for each direction, the last direction first, as PyTorch wants it.
void infer_pad(Layer& layer) {
  const std::size_t count = layer.directions();
  Json& written = layer.node.attributes["pad"];
  if (written.is_number()) written = Shape(2 * count, written.get<std::int64_t>());
  const Shape pad = written.get<Shape>();
  if (pad.size() != 2 * count) {
    layer.fail("pad",
               fmt::format("'pad' has {} numbers, but {} has {} directions", pad.size(), to_text(layer.in()), count),
               "one number, or first and last of each direction, the last direction first: [left, right, top, bottom]");
  }
  const std::string mode = layer.text("mode");
  if (mode != "constant" && layer.real("value") != 0) {
    layer.fail("value", fmt::format("{} takes its values from the input", mode), "mode: constant");
  }
  layer.node.out = layer.in();
  for (std::size_t axis = 0; axis < count; ++axis) {
    std::int64_t& size = layer.node.out[count - axis];
    check_pad(layer, mode, size, pad[2 * axis]);
    check_pad(layer, mode, size, pad[2 * axis + 1]);
    size = sum(size, sum(pad[2 * axis], pad[2 * axis + 1]));
  }
}

LayerRule shuffle(const char* op, void (*infer)(Layer&), const char* text) {
  LayerRule rule;
  rule.kind = {op, text, {integer("factor", "of height and width").from(1).must()}};
  rule.infer = infer;
  return rule;
}

}  // namespace

LayerRule upsample() {
  LayerRule rule;
  rule.kind = {
      "upsample",
      "a larger image by interpolation",
      {integer("scale", "how many times larger each direction becomes, in place of `size`")
           .or_a(Form::integers)
           .from(1),
       integer("size", "the sizes themselves, in place of `scale`").or_a(Form::integers).from(1),
       choice("mode", "how values between are found", {"nearest", "linear", "bilinear", "bicubic", "trilinear"})
           .with("nearest"),
       boolean("align_corners", "the corners of input and output are the same points").with(false)}};
  rule.infer = infer_upsample;
  return rule;
}

LayerRule pixel_shuffle() {
  return shuffle("pixel_shuffle", infer_shuffle, "channels to places: [C * f * f, H, W] to [C, H * f, W * f]");
}

LayerRule pixel_unshuffle() {
  return shuffle("pixel_unshuffle", infer_unshuffle, "places to channels: [C, H * f, W * f] to [C * f * f, H, W]");
}

LayerRule pad() {
  LayerRule rule;
  rule.kind = {
      "pad",
      "a margin around each channel",
      {integer(
           "pad",
           "at each side, or first and last of each direction, the last direction first: [left, right, top, bottom]")
           .or_a(Form::integers)
           .from(0)
           .must(),
       choice("mode", "what stands there", {"constant", "reflect", "replicate", "circular"}).with("constant"),
       real("value", "the constant").with(0.0)}};
  rule.infer = infer_pad;
  return rule;
}

}  // namespace dlrun::model::layers
