// SPDX-License-Identifier: Apache-2.0
// Parts that attention and the blocks of a transformer share.
#pragma once
#include <string>
#include <vector>

#include "model/sequences.hpp"

namespace dlrun::model::layers {

/// `dropout` of the attention weights.
options::Key attention_dropout();
/// Positions by rotation of queries and keys (Su et al. 2021, arXiv:2104.09864).
options::Key rotary();
/// Rejects rotations that have no meaning: heads of an odd width, sequences whose positions are not the same places.
/// Without a base the attribute goes away, so that the hash of such a layer is the same as before it had one.
/// @param reason  why these sequences cannot be rotated; empty: they can
void check_rotary(Layer& layer, const Sequence& sequence, const std::string& reason);
/// @throws ModelError where a share of zeros is 1.
void check_share(const Layer& layer, const char* attribute);
/// @throws ModelError unless `heads` divides the width, which all sequences have.
void check_heads(const Layer& layer, const std::vector<Sequence>& sequences);
/// The tensors of torch.nn.MultiheadAttention of the width of input 0, each name after `prefix`.
void add_attention(Layer& layer, const std::string& prefix, bool has_bias);
/// Projections in and out, and the two products of every pair of positions.
std::int64_t attention_operations(const Sequence& asks, const Sequence& answers);

}  // namespace dlrun::model::layers
