// SPDX-License-Identifier: Apache-2.0
#include "model/window.hpp"

#include <fmt/format.h>

#include "model/shape.hpp"

namespace dlrun::model {

namespace {

std::int64_t at(const Shape& list, std::size_t axis, std::int64_t fallback) {
  return list.empty() ? fallback : list[axis];
}

/// Size of the window with its holes; numbers are at most 2^31, so nothing overflows.
std::int64_t span(const Window& window, std::size_t axis) {
  return at(window.dilation, axis, 1) * (window.k[axis] - 1) + 1;
}

[[noreturn]] void does_not_fit(const Layer& layer, const Window& window) {
  Shape spans;
  bool is_padded = false;
  for (std::size_t axis = 0; axis < window.k.size(); ++axis) {
    spans.push_back(span(window, axis));
    is_padded = is_padded || at(window.pad, axis, 0) > 0;
  }
  const std::string padding = is_padded ? " padded by " + to_text(window.pad) : "";
  layer.fail(
      "k", fmt::format("a window of {} does not fit into the input {}{}", to_text(spans), to_text(layer.in()), padding),
      "make k smaller, pad more, or take out a pool or stride before it");
}

std::int64_t steps(std::int64_t size, std::int64_t room, const Window& window, std::size_t axis) {
  const std::int64_t stride = at(window.stride, axis, 1);
  if (!window.ceil_mode) return room / stride + 1;
  const std::int64_t count = (room + stride - 1) / stride + 1;
  return (count - 1) * stride >= size + at(window.pad, axis, 0) ? count - 1 : count;
}

}  // namespace

Shape slide(const Layer& layer, const Window& window) {
  Shape out;
  for (std::size_t axis = 0; axis < window.k.size(); ++axis) {
    const std::int64_t size = layer.in()[axis + 1];
    const std::int64_t room = size + 2 * at(window.pad, axis, 0) + at(window.pad_end, axis, 0) - span(window, axis);
    if (room < 0) does_not_fit(layer, window);
    out.push_back(steps(size, room, window, axis));
  }
  return out;
}

Shape image_of(std::int64_t channels, const Shape& sizes) {
  Shape shape{channels};
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  return shape;
}

std::int64_t volume(const Shape& k) {
  std::int64_t count = 1;
  for (const std::int64_t size : k) count = product(count, size);
  return count;
}

}  // namespace dlrun::model
