// SPDX-License-Identifier: Apache-2.0
// Parts that attention and the blocks of a transformer share.
#pragma once
#include <string>
#include <vector>

#include "model/sequences.hpp"

namespace dlrun::model::layers {

/// `dropout` of the attention weights.
options::Key attention_dropout();
/// @throws ModelError where a share of zeros is 1.
void check_share(const Layer& layer, const char* attribute);
/// @throws ModelError unless `heads` divides the width, which all sequences have.
void check_heads(const Layer& layer, const std::vector<Sequence>& sequences);
/// The tensors of torch.nn.MultiheadAttention of the width of input 0, each name after `prefix`.
void add_attention(Layer& layer, const std::string& prefix, bool has_bias);
/// Projections in and out, and the two products of every pair of positions.
std::int64_t attention_operations(const Sequence& asks, const Sequence& answers);

}  // namespace dlrun::model::layers
