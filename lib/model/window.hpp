// SPDX-License-Identifier: Apache-2.0
// Arithmetic of a window that slides over an image: convolution and pooling.
#pragma once
#include "model/layer.hpp"

namespace dlrun::model {

struct Window {
  Pair k{};
  Pair stride{1, 1};
  Pair pad{};      ///< zeros at each side
  Pair pad_end{};  ///< and these at bottom and right alone
  Pair dilation{1, 1};
};

/// The image size [height, width] after the window slid over the layer's input [C, H, W].
/// @throws ModelError (place: k) where the window does not fit in even once.
Pair slide(const Layer& layer, const Window& window);

}  // namespace dlrun::model
