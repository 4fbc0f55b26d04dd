// SPDX-License-Identifier: Apache-2.0
#include "model/conv.hpp"

#include <fmt/format.h>

#include "model/shape.hpp"

namespace dlrun::model {

std::vector<Attribute> convolution_attributes(const std::string& sizes) {
  return {{.name = "out",
           .type = "int-or-enum:classes|targets",
           .required = true,
           .low = 1,
           .text = "number of output channels"},
          {.name = "k", .type = sizes, .required = true, .low = 1, .text = "size of the kernel"},
          {.name = "stride", .type = sizes, .fallback = 1, .low = 1, .text = "step of the kernel"},
          {.name = "dilation", .type = sizes, .fallback = 1, .low = 1, .text = "distance of kernel points"},
          {.name = "groups",
           .type = "int-or-enum:in",
           .fallback = 1,
           .low = 1,
           .text = "channels are convolved in this many separate groups; in: each by itself (depthwise)"},
          {.name = "bias", .type = "bool-or-enum:auto", .fallback = "auto", .text = "auto: true unless a norm follows"},
          {.name = "in", .type = "int", .derived = true, .low = 1, .text = "number of input channels"}};
}

std::size_t require_directions(const Layer& layer) {
  const std::string& op = layer.node.op;
  const std::size_t digit = op.find_last_of("123");
  const auto count = static_cast<std::size_t>(op[digit] - '0');
  const std::size_t found = layer.in().size() - 1;
  if (found == count) return count;
  if (count == 2) layer.require_image();
  const char* wanted = count == 1 ? "[channels, length]" : "[channels, depth, height, width]";
  const std::string other = found == 0 ? "" : fmt::format(", or take {}{}d", op.substr(0, digit), found);
  layer.fail("", fmt::format("{} needs an input {}, but gets {}", op, wanted, to_text(layer.in())),
             fmt::format("change the shape before it, {{op: reshape, shape: {}}}{}", wanted, other));
}

std::int64_t groups_of(Layer& layer, std::int64_t in, std::int64_t out) {
  Json& groups = layer.node.attributes["groups"];
  if (groups == "in") groups = in;
  const auto count = groups.get<std::int64_t>();
  if (in % count == 0 && out % count == 0) return count;
  layer.fail("groups", fmt::format("{} groups do not divide {} input and {} output channels", count, in, out),
             "groups must divide both numbers of channels");
}

}  // namespace dlrun::model
