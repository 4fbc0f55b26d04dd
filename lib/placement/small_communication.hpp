// SPDX-License-Identifier: Apache-2.0
// Small communication times: devices wait for the child that should follow their last task.
#pragma once
#include <functional>

#include "placement/turns.hpp"

namespace dlrun::placement {

/// The favourite child of each node: the reader that should be computed next on the same device. Each node is the
/// favourite of one node at most.
using Favourites = std::vector<int>;
constexpr int kNoFavourite = -1;

/// Chooses favourites for a graph.
/// @param trains  transfers and work count forward and backward
using FavouriteFinder = std::function<Favourites(const Graph& graph, const Cluster& cluster, bool trains)>;

/// Earliest task first with favourites (SCT, Hanen and Munier 1995; m-SCT of Baechi, Jeon et al. 2020): the task with
/// computed inputs, and the device, that can begin earliest of all pairs. A device waits for the favourite child of the
/// last node that it computed forward, if the child's inputs are computed and no other device could begin it earlier.
/// While it waits, it takes only tasks that begin before the child: those whose inputs have come to every device by
/// then, and backward tasks of its own nodes. A device whose parameters and outputs would pass its memory is left out,
/// and is not waited for, as long as another has room.
///
/// Differs from Baechi: devices are not led by a clock, an urgent task must begin before the child and not at the same
/// time, and layers that train have tasks of their own backward. Ties: the lower task, then the device that waits for
/// it, then the one that waits for no other, then the lower one.
/// @param favourites  one for each node; empty: no node has one, which is earliest task first
Schedule small_communication_times(const Step& step, const Cluster& cluster, const Favourites& favourites);

}  // namespace dlrun::placement
