// SPDX-License-Identifier: Apache-2.0
// A gang in virtual time that goes back to its last checkpoint, the begin of the epoch, whenever a rank is lost.
#pragma once
#include "parallel/virtual_cluster.hpp"

namespace dlrun::parallel {

/// Cost of the attempts at an epoch that do not come to its end, and of the waits for lost ranks.
struct Restarts {
  std::int64_t count = 0;
  double seconds = 0, bytes = 0;
};

/// Plays them without numbers: nothing of such an attempt is left but its time and traffic. With a codec whose
/// messages depend on them (dgc) its end is an estimate, and a loss right after that is passed over.
/// @param timed   the gang of timed() layers
/// @param states  at the begin of the epoch: clocks and counts say when ranks next wait for each other
/// @throws Error(usage) if the epoch never comes to its end
Restarts restarts(const Gang& timed, const Algorithm<float>& algorithm, const Members<float>& states,
                  VirtualCluster<float>::Options options, const Deal& deal);

}  // namespace dlrun::parallel
