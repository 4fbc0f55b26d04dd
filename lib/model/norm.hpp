// SPDX-License-Identifier: Apache-2.0
// Rules that layernorm and rmsnorm share.
#pragma once
#include "model/layer.hpp"

namespace dlrun::model {

/// The last sizes of the input that the norm is taken over, PyTorch's normalized_shape: what `shape` says, by default
/// the last size of [F] and [L, F] and all of an image. @throws ModelError where `shape` is not how the input ends.
Shape normalised_sizes(Layer& layer);

}  // namespace dlrun::model
