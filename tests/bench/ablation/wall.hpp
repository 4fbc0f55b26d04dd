// SPDX-License-Identifier: Apache-2.0
// Wall time of a simulated ablation of 20 variants on so many workers, as a share of what no order can beat.
#pragma once

namespace dlrun::bench {

/// Shares of the bound, means over the seeds.
struct Wall {
  double share = 0;       ///< runs leave as the driver lets them
  double as_decided = 0;  ///< runs leave in the order of their decisions
  double known = 0;       ///< a packing made by one that knows beforehand how long each run takes; 0: none is made
};

/// Ten replicates. The baseline costs 1, variants down to 0.6 of it; a run takes that with a deviation of 5 %.
Wall wall(int workers, int seeds);

/// The same variants with looks at 4, 6, 8, 10 and 12 replicates; half of them have an effect.
Wall wall_with_looks(int workers, int seeds);

}  // namespace dlrun::bench
