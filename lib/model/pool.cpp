// SPDX-License-Identifier: Apache-2.0
#include "model/pool.hpp"

#include <fmt/format.h>

#include "model/shape.hpp"
#include "model/window.hpp"

namespace dlrun::model {

std::vector<Attribute> pool_attributes() {
  return {
      {.name = "k", .type = "int-or-ints", .required = true, .low = 1, .text = "size of the window"},
      {.name = "stride", .type = "int-or-ints", .low = 1, .text = "step of the window; default: k"},
      {.name = "pad", .type = "int-or-ints", .fallback = 0, .low = 0, .text = "padding at each side, at most k / 2"},
      {.name = "ceil_mode", .type = "bool", .fallback = false, .text = "let the last window reach past the end"}};
}

void infer_pool(Layer& layer) {
  const std::size_t count = layer.directions();
  Window window{layer.sizes("k", count), {}, layer.sizes("pad", count)};
  if (layer.node.attributes["stride"].is_null()) layer.node.attributes["stride"] = window.k;
  window.stride = layer.sizes("stride", count);
  if (layer.node.attributes.contains("dilation")) window.dilation = layer.sizes("dilation", count);
  window.ceil_mode = layer.flag("ceil_mode");
  for (std::size_t axis = 0; axis < count; ++axis) {
    if (window.pad[axis] <= window.k[axis] / 2) continue;
    layer.fail("pad",
               fmt::format("a pad of {} is more than half the window {}", to_text(window.pad), to_text(window.k)));
  }
  layer.node.out = image_of(layer.in()[0], slide(layer, window));
  layer.count_operations(volume(window.k));
}

void infer_adaptive_pool(Layer& layer) {
  layer.node.out = image_of(layer.in()[0], layer.sizes("out", layer.directions()));
  layer.node.operations = elements(layer.in());
}

}  // namespace dlrun::model
