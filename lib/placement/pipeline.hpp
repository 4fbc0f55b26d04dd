// SPDX-License-Identifier: Apache-2.0
// Splits of a workload for the highest throughput: the least largest load.
#pragma once
#include "placement/workload.hpp"
#include "util/random.hpp"

namespace dlrun::placement {

/// Device of each class: accelerators from 0, then processors.
using Split = std::vector<int>;

/// The largest load of all devices, seconds. Infinite where one has not the memory.
double largest_load(const Workload& work, const Split& split);

/// All on one accelerator, whatever its memory, or on one processor if there is no accelerator: seconds.
double load_of_one(const Workload& work);

/// The best split of a topological order into one piece for each device, by dynamic programming (Tarnawski et al. 2020,
/// "linearize"): the better of two orders. At most about n² k steps.
/// @throws Error(usage) where no such split fits in the memory
Split linearize(const Workload& work);

/// From `start`, and from `restarts` random splits among the accelerators (the processors if there is none), the best
/// move of one class until none helps. The best of all.
Split local_search(const Workload& work, const Split& start, int restarts, RandomStream& chance);

}  // namespace dlrun::placement
