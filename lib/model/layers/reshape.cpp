// SPDX-License-Identifier: Apache-2.0
// reshape: the same elements, row-major, under other sizes; one of them may be -1 and is then inferred.
#include <algorithm>

#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

/// Replaces a -1 by what makes the count right, if anything does.
void fill_in(Shape& shape, std::int64_t count) {
  const auto open = std::find(shape.begin(), shape.end(), -1);
  if (open == shape.end()) return;
  *open = 1;
  *open = std::max<std::int64_t>(1, count / std::max<std::int64_t>(1, elements(shape)));
}

void infer_reshape(Layer& layer) {
  const Shape asked = layer.node.attributes["shape"].get<Shape>();
  if (std::count(asked.begin(), asked.end(), -1) > 1 || std::count(asked.begin(), asked.end(), 0) > 0) {
    layer.fail("shape", fmt::format("{} has a 0 or more than one -1", to_text(asked)));
  }
  Shape shape = asked;
  fill_in(shape, elements(layer.in()));
  if (elements(shape) != elements(layer.in())) {
    layer.fail("shape", fmt::format("{} has not the {} elements of the input {}", to_text(asked), elements(layer.in()),
                                    to_text(layer.in())));
  }
  layer.node.attributes["shape"] = shape;
  layer.node.out = shape;
}

/// Shape after a fault: the one asked for, where it is complete.
Shape guess_reshape(const Node& node) {
  const Json shape = node.attributes.value("shape", Json());
  const bool is_complete =
      shape.is_array() && std::none_of(shape.begin(), shape.end(), [](const Json& s) { return s < 1; });
  return is_complete ? shape.get<Shape>() : Shape{};
}

bool keeps_shape(const Node& node) { return node.in[0] == node.out; }

}  // namespace

LayerRule reshape() {
  LayerRule rule;
  rule.kind = {"reshape",
               "the same elements under other sizes",
               {key(Form::shape, "shape", "new sizes without the batch; one may be -1").from(-1).must()}};
  rule.infer = infer_reshape;
  rule.guess = guess_reshape;
  rule.is_identity = keeps_shape;
  return rule;
}

}  // namespace dlrun::model::layers
