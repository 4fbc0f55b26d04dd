// SPDX-License-Identifier: Apache-2.0
// The cross-entropy method (Rubinstein 1999) on placements: probabilities that move towards the best of what is drawn.
#pragma once
#include "placement/evaluator.hpp"
#include "placement/orders.hpp"
#include "util/random.hpp"

namespace dlrun::placement {

/// The defaults are dlrun's own but for the smoothing, which is that of de Boer et al. 2005.
struct CrossEntropyOptions {
  int population = 64;     ///< placements of a round
  double elite = 0.1;      ///< share of them that the probabilities move to
  double smoothing = 0.7;  ///< weight of what the elite says, beside that of the rounds before
  double follows = 0.5;    ///< probability at first that a node goes where its heaviest decided neighbour is
};

/// Along the order a node goes where its heaviest decided neighbour is, or draws a device by its own row of a table.
/// Whether it follows is a probability too, one for each third of the order. Rounds until the evaluator is spent;
/// where all placements of one cost the same, the next one begins with equal probabilities.
/// @return the best placement that was visited, the start among them
Placement cross_entropy(Evaluator& evaluator, const Graph& graph, const Order& order, const Placement& start,
                        RandomStream& chance, const CrossEntropyOptions& options = {});

}  // namespace dlrun::placement
