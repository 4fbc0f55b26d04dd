// SPDX-License-Identifier: Apache-2.0
// Memory of a gang's nodes, as its method and codec need it. Activations and data come on top: they depend on the model
// and the batch, as without ranks.
#pragma once
#include <vector>

#include "parallel/gang.hpp"

namespace dlrun::parallel {

/// Bytes of a rank, or of a server with all its shards. The first four last from one epoch to the next: a checkpoint
/// has them.
struct NodeMemory {
  double weights = 0;
  double optimizer = 0;
  double method = 0;   ///< further copies of the weights: anchors, velocities, changes that a server has gathered
  double codec = 0;    ///< residuals, velocities, thin matrices
  double working = 0;  ///< the gradient, and copies that live for some steps

  double kept() const { return weights + optimizer + method + codec; }
  double all() const { return kept() + working; }
};

struct GangMemory {
  NodeMemory rank;                  ///< memory of each rank
  std::vector<NodeMemory> servers;  ///< by server

  /// Bytes that all nodes keep.
  double kept(int ranks) const;
};

/// @param gang   of the config
/// @param slots  numbers that the optimiser keeps of each weight
/// REQUIRES: the gang's layers have sizes.
GangMemory memory_of(const ParallelConfig& config, const Gang& gang, int slots);

}  // namespace dlrun::parallel
