// SPDX-License-Identifier: Apache-2.0
// Rules that the layers of sequences share: which inputs are masks, and what a mask says.
#pragma once
#include <vector>

#include "nn/layer.hpp"

namespace dlrun::nn {

/// A sequence [B, L, D] among a layer's inputs, and its mask [B, L], undefined where it has none.
struct MaskedSequence {
  at::Tensor values;
  at::Tensor mask;
  at::Tensor edges;  ///< [B, L, L] float32, 0 where position i does not see j; undefined: all are seen
};

/// A vector after a sequence is its mask, as model/sequences.hpp says.
std::vector<MaskedSequence> masked_sequences(c10::ArrayRef<at::Tensor> inputs);

/// @param mask  [B, L] float32, 0 where padded
/// @return      [B, L] bool; of an example without any real position the first one is true
at::Tensor real_positions(const at::Tensor& mask);

/// @param real  [B, L] bool
/// @return      [B] int64, the place of the last real position
at::Tensor last_positions(const at::Tensor& real);

/// Row b's position index[b] of a sequence: [B, L, D] to [B, D].
at::Tensor pick_positions(const at::Tensor& sequence, const at::Tensor& index);

}  // namespace dlrun::nn
