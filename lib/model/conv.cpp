// SPDX-License-Identifier: Apache-2.0
#include "model/conv.hpp"

#include <fmt/format.h>

#include "model/shape.hpp"

namespace dlrun::model {

options::Table convolution_attributes(options::Form sizes) {
  return {integer("out", "number of output channels").or_word("classes").or_word("targets").from(1).must(),
          integer("k", "size of the kernel").or_a(sizes).from(1).must(),
          integer("stride", "step of the kernel").or_a(sizes).from(1).with(1),
          integer("dilation", "distance of kernel points").or_a(sizes).from(1).with(1),
          integer("groups", "channels are convolved in this many separate groups; in: each by itself (depthwise)")
              .or_word("in")
              .from(1)
              .with(1),
          boolean("bias", "auto: true unless a norm follows").or_word("auto").with("auto"),
          integer("in", "number of input channels").from(1).inferred()};
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
