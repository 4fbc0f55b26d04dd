// SPDX-License-Identifier: Apache-2.0
// Arithmetic of a window that slides over one to three directions: convolution and pooling.
#pragma once
#include "model/layer.hpp"

namespace dlrun::model {

/// One number for each direction. Empty lists stand for zeros (pads) and ones (stride, dilation).
struct Window {
  Shape k;
  Shape stride;
  Shape pad;      ///< zeros at each side
  Shape pad_end;  ///< zeros at the end alone
  Shape dilation;
  bool ceil_mode = false;  ///< a last window may reach past the end, but not begin there
};

/// The sizes of [C, …sizes] after the window slid over it, as PyTorch computes them.
/// @throws ModelError (place: k) where the window does not fit in even once.
Shape slide(const Layer& layer, const Window& window);

/// The channels and what follows: [C, …sizes].
Shape image_of(std::int64_t channels, const Shape& sizes);

/// Places in the window.
std::int64_t volume(const Shape& k);

}  // namespace dlrun::model
