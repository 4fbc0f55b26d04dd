// SPDX-License-Identifier: Apache-2.0
#include "model/norm.hpp"

#include <algorithm>

namespace dlrun::model {

Shape normalised_sizes(Layer& layer) {
  const Shape& in = layer.in();
  Shape shape = in.size() < 3 ? Shape{in.back()} : in;
  const Json& written = layer.node.attributes["shape"];
  if (written.is_array() && written.size() <= in.size()) {
    const Shape asked = written.get<Shape>();
    if (std::equal(asked.rbegin(), asked.rend(), in.rbegin())) shape = asked;
  }
  layer.derive("shape", shape);
  return shape;
}

}  // namespace dlrun::model
