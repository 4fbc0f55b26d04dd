// SPDX-License-Identifier: Apache-2.0
// Placers that schedule task after task. A node's backward task goes where its forward task is. Tensors are taken to
// travel without waiting for each other, so a simulated step in a schedule's order may take longer than the schedule.
#pragma once
#include "placement/turns.hpp"

namespace dlrun::placement {

/// Takes the task with computed inputs, and the device, that can begin earliest of all pairs (earliest task first,
/// Hwang et al. 1989; m-ETF of Baechi, Jeon et al. 2020). A device whose parameters and outputs would pass its memory
/// is left out, as long as another has room.
Schedule earliest_task_first(const Step& step, const Cluster& cluster);

/// Tasks by their longest way to the end, with mean costs and transfers, each where it ends earliest, in gaps too
/// (HEFT, Topcuoglu et al. 2002).
Schedule earliest_finish(const Step& step, const Cluster& cluster);

}  // namespace dlrun::placement
