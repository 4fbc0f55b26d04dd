// SPDX-License-Identifier: Apache-2.0
// Dropout inside of a layer: the factors, as a constant of the layer's autograd graph.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "nn/layer.hpp"

namespace dlrun::nn {

/// Zeros with probability p, else 1 / (1 - p): a function of (seed, replicate, node name, place, optimiser step, place
/// in the tensor) alone, so there is nothing to save.
class DropoutMask {
 public:
  /// @param place  which of the layer's dropouts, "" for the only one
  DropoutMask(const Scope& scope, const std::string& place, double p);

  /// x times the factors while training, else x itself; on any device, in any precision.
  at::Tensor apply(const at::Tensor& x, const Pass& pass) const;
  bool is_on(const Pass& pass) const { return pass.training && p_ > 0; }

 private:
  double p_;
  std::array<std::uint32_t, 2> key_;
};

}  // namespace dlrun::nn
