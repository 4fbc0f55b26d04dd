// SPDX-License-Identifier: Apache-2.0
// PowerSGD (Vogels, Karimireddy, Jaggi, NeurIPS 2019, algorithms 1 and 2): one step of a power iteration finds a
// product P Qᵀ of rank r near the mean M of all ranks' gradients, each with its error added.
//
//   P = mean of M_w Q, orthogonalised; Q = mean of M_wᵀ P; the gradient is P Qᵀ; the error e_w = M_w − P (M_wᵀ P)ᵀ
//
// P and Q are summed by all-reduce, one after the other; tensors that are not packed ride with P. Q of the last step is
// the next one's (warm start), or drawn anew. A convolution's kernel is a matrix of its outputs by all else. Only
// matrices that get `least` times smaller are packed. Differs from the paper: means count examples; a rank without a
// batch keeps its error; a column of Q that vanishes is kept as it was, or it would stay 0.
#pragma once
#include <string>

#include "parallel/algorithm.hpp"
#include "parallel/all_reduce.hpp"

namespace dlrun::parallel {

/// Q of all packed tensors, one after the other, drawn from the normal distribution; none in timing mode.
/// @param step  without a warm start: the rank's clock
template <class Real>
std::vector<Real> first_basis(const Gang& gang, const PowerSgd& codec, std::int64_t step = 0);

/// Count of the numbers that first_basis() draws.
std::size_t basis_size(const Gang& gang, const PowerSgd& codec);

/// As all_reduce(), of one bucket, by thin matrices. @param sum  samples times the rank's gradient, then times P Qᵀ
template <class Real>
Task reduce_thin(Env<Real>& env, const PowerSgd& codec, Rank<Real>& rank, const Shard& bucket, Sum<Real>& sum,
                 const std::string& way);

}  // namespace dlrun::parallel
