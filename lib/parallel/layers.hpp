// SPDX-License-Identifier: Apache-2.0
// A model as sharding and timing see it: layers with their sizes and their shares of the backward pass. A layer here is
// a tensor, or several that travel together.
#pragma once
#include <cstddef>
#include <vector>

namespace dlrun::parallel {

struct Layer {
  std::size_t size = 0;  ///< numbers in the flat weights; 0 in timing mode
  double bytes = 0;
  double backward = 1;   ///< part of the backward pass's time
  std::size_t rows = 0;  ///< rows of a matrix; 0: it is none
};

/// For timing mode: the same without the numbers.
inline std::vector<Layer> timed(std::vector<Layer> layers) {
  for (Layer& layer : layers) layer.size = 0;
  return layers;
}

inline constexpr double kNumber = 4;  ///< bytes of a float32

/// Part of a gradient's time that the forward pass takes: the backward pass has twice its multiplications.
inline constexpr double kForward = 1.0 / 3;

}  // namespace dlrun::parallel
