// SPDX-License-Identifier: Apache-2.0
#include "model/pool.hpp"

#include <fmt/format.h>

#include "model/shape.hpp"
#include "model/window.hpp"

namespace dlrun::model {

options::Table pool_attributes() {
  return {integer("k", "size of the window").or_a(Form::integers).from(1).must(),
          integer("stride", "step of the window; default: k").or_a(Form::integers).from(1),
          integer("pad", "padding at each side, at most k / 2").or_a(Form::integers).from(0).with(0),
          boolean("ceil_mode", "let the last window reach past the end").with(false)};
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
