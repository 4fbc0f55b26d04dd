// SPDX-License-Identifier: Apache-2.0
// Sums over all ranks, which every rank has afterwards. Each sends 2 (n − 1) / n of the numbers.
#pragma once
#include <string>

#include "parallel/env.hpp"
#include "parallel/task.hpp"
#include "parallel/vectors.hpp"

namespace dlrun::parallel {

/// A sum under way.
template <class Real>
struct Sum {
  std::vector<Real> numbers;  ///< the rank's own, then the sum
  std::int64_t clock = 0;     ///< the same on all ranks, another for each sum
  double samples = 0;         ///< summed with it
  double share = 1;           ///< part of the model's bytes
};

/// Every rank sums one part, in the order of ranks, so the bits are those of a server that does.
template <class Real>
Task reduce_directly(Env<Real>& env, Sum<Real>& sum);

/// Parts go round (Patarasuk, Yuan 2009): 2 (n − 1) messages one after the other, and every part has an order of its
/// own, which is the same on all ranks.
template <class Real>
Task reduce_around(Env<Real>& env, Sum<Real>& sum);

/// By the backend's own collective, in an order of its own. REQUIRES: env.has_collective().
template <class Real>
Task reduce_outside(Env<Real>& env, Sum<Real>& sum);

/// @param way  direct | ring | gloo; where the backend has no collective, gloo's parts go round, too
template <class Real>
Task all_reduce(Env<Real>& env, Sum<Real>& sum, const std::string& way) {
  if (way == kGloo && env.has_collective()) return reduce_outside(env, sum);
  return way == "direct" ? reduce_directly(env, sum) : reduce_around(env, sum);
}

}  // namespace dlrun::parallel
