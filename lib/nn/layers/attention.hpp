// SPDX-License-Identifier: Apache-2.0
// Multi-head attention as a function, which the layer of that name and the blocks of a transformer call.
#pragma once
#include <optional>
#include <string>

#include "nn/autograd_layer.hpp"
#include "nn/dropout_mask.hpp"
#include "nn/sequences.hpp"

namespace dlrun::nn {

struct Attention {
  std::string prefix;  ///< beginning of the tensors' names, "self_attn."
  std::int64_t heads = 1;
  bool is_causal = false;
  std::optional<double> rotary;  ///< base of the rotations; none: no rotations
  DropoutMask dropout;
};

/// The attribute `rotary` of a layer.
std::optional<double> rotary_of(const Scope& scope);

/// softmax(Q K^T / sqrt(d)) V for each head, between the two projections of torch.nn.MultiheadAttention.
/// @param asks     [B, L, D]
/// @param answers  [B, S, D] and its mask
/// @return         [B, L, D]
at::Tensor attend(const Attention& attention, const at::Tensor& asks, const MaskedSequence& answers,
                  const Tensors& tensors, const Pass& pass);

/// First values as PyTorch's: xavier_uniform for the projection in, U(±1/sqrt(D)) for the one out, biases 0.
/// Null parameters are left out.
void init_attention(const Parameter& in_weight, const Parameter* in_bias, const Parameter& out_weight,
                    const Parameter* out_bias, const Streams& streams);

}  // namespace dlrun::nn
