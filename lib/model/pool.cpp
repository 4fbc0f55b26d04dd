// SPDX-License-Identifier: Apache-2.0
#include "model/pool.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/shape.hpp"
#include "model/window.hpp"

namespace dlrun::model {

std::vector<Attribute> pool_attributes() {
  return {
      {.name = "k", .type = "int-or-pair", .required = true, .low = 1, .text = "size of the window"},
      {.name = "stride", .type = "int-or-pair", .low = 1, .text = "step of the window; default: k"},
      {.name = "pad", .type = "int-or-pair", .fallback = 0, .low = 0, .text = "padding at each side, at most k / 2"}};
}

void infer_pool(Layer& layer) {
  layer.require_image();
  if (layer.node.attributes["stride"].is_null()) layer.node.attributes["stride"] = layer.pair("k");
  const Window window{layer.pair("k"), layer.pair("stride"), layer.pair("pad")};
  if (window.pad[0] > window.k[0] / 2 || window.pad[1] > window.k[1] / 2) {
    layer.fail("pad", fmt::format("a pad of {} is more than half the window {}", window.pad, window.k));
  }
  const Pair size = slide(layer, window);
  layer.node.out = {layer.in()[0], size[0], size[1]};
  layer.count_operations(product(window.k[0], window.k[1]));
}

}  // namespace dlrun::model
