// SPDX-License-Identifier: Apache-2.0
// The codec of a gang where algorithms meet it: its states, and messages on their way out.
#pragma once
#include "parallel/algorithm.hpp"

namespace dlrun::parallel {

/// Sets what the codec keeps in states that hold the initial weights.
template <class Real>
void begin_codec(const Gang& gang, Members<Real>& members);

/// Leaves in a rank's gradient, which no factor has touched, what travels (dgc).
template <class Real>
void pack(const Gang& gang, Rank<Real>& rank, const Shard& shard, Message<Real>& message);

/// Shortens the numbers of a message that is ready (bf16).
template <class Real>
void shorten(const Gang& gang, Message<Real>& message);

/// Copies of the weights that a rank keeps for the codec.
int copies_of(const Codec& codec);

}  // namespace dlrun::parallel
