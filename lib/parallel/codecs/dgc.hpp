// SPDX-License-Identifier: Apache-2.0
// Deep Gradient Compression (Lin, Han, Mao, Wang, Dally, ICLR 2018, algorithms 1 to 4): a rank sends the numbers of a
// gradient that have grown largest, and keeps the rest until they have.
//
// With m of the optimiser: u = m·u + g (momentum correction), V = V + u; the largest k of |V| of each tensor travel and
// leave V, and u too (momentum factor masking). Before, g is clipped to clip_norm / √n. The share k / n is a power of
// the ratio that rises evenly to 1 over the warm-up, as in its authors' code: 0.25, 0.063, 0.016, 0.004, 0.001.
//
// Differs from the paper: k is exact, not by a threshold of a sample, and 1 at least; short tensors are packed too;
// values stay float32. A server answers with the numbers that have changed since it last answered (Served), for whole
// weights would cost what packing has saved. Weight decay, and optimisers that move all numbers, change all of them.
#pragma once
#include "parallel/algorithm.hpp"

namespace dlrun::parallel {

/// Share of a tensor's numbers that travels in an epoch, from 0.
double ratio_in(const Dgc& dgc, int epoch);

/// Moves velocities and residuals of the rank on by the message's gradient, and leaves in it what travels.
template <class Real>
void pack(const Dgc& dgc, const Gang& gang, Rank<Real>& rank, const Shard& shard, Message<Real>& message);

/// Factor that clips a gradient on a rank.
template <class Real>
double clip_factor(const Dgc& dgc, int ranks, const std::vector<Real>& gradient);

}  // namespace dlrun::parallel
