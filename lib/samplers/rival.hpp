// SPDX-License-Identifier: Apache-2.0
// Rival that a proposal was held against, for `explain`.
#pragma once
#include <string>

#include "space/space.hpp"

namespace dlrun::samplers {

/// A point that was not proposed, and how it was judged: the logarithm of the sampler's measure.
struct Rival {
  space::Values values;
  double log_score = 0;
};

/// "; ahead of lr 0.012, width 64 (83 % of it)": where the rival differs from the proposal, four parameters at
/// most. @param log_score of the proposal
std::string ahead_of(const space::Space& space, const space::Values& proposed, double log_score, const Rival& rival);

/// Are the points more than a twentieth of some parameter's domain apart, or of different choices?
bool is_elsewhere(const space::Space& space, const space::Values& a, const space::Values& b);

}  // namespace dlrun::samplers
