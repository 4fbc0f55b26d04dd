// SPDX-License-Identifier: Apache-2.0
#include "model/window.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/shape.hpp"

namespace dlrun::model {

namespace {

/// Size of the window with its holes; numbers are at most 2^31, so nothing overflows.
std::int64_t span(const Window& window, int axis) { return window.dilation[axis] * (window.k[axis] - 1) + 1; }

[[noreturn]] void does_not_fit(const Layer& layer, const Window& window) {
  const std::string padding = window.pad == Pair{} ? "" : fmt::format(" padded by {}", window.pad);
  layer.fail("k",
             fmt::format("a window of {} does not fit into the input {}{}", Pair{span(window, 0), span(window, 1)},
                         to_text(layer.in()), padding),
             "make k smaller, pad more, or take out a pool or stride before it");
}

}  // namespace

Pair slide(const Layer& layer, const Window& window) {
  Pair out{};
  for (int axis = 0; axis < 2; ++axis) {
    const std::int64_t room = layer.in()[axis + 1] + 2 * window.pad[axis] + window.pad_end[axis] - span(window, axis);
    if (room < 0) does_not_fit(layer, window);
    out[axis] = room / window.stride[axis] + 1;
  }
  return out;
}

}  // namespace dlrun::model
