// SPDX-License-Identifier: Apache-2.0
// Turns of devices and links as a schedule has them.
#pragma once
#include "placement/simulator.hpp"

namespace dlrun::placement {

/// The answer of a placer that schedules task after task.
struct Schedule {
  Placement placement;
  Lists tasks;  ///< each device's, in the order in which it computes them
};

/// A tensor that a schedule sends.
struct Departure {
  int tensor = 0;
  int to = 0;  ///< device; any where the link broadcasts
  double begin = 0;
};

/// The same with all that is computed forward before what is computed backward, as trainers do; links send as it comes.
/// @param nodes  of the graph; the step has one microbatch
Turns pass_by_pass(const Turns& turns, int nodes);

/// Tasks of each device by when they begin; at the same time producers stand before readers.
/// @param begins  of each task, none before those of the tasks that it reads
Lists tasks_by_begin(const Step& step, const Placement& placement, int devices, const std::vector<double>& begins);

/// Tensors of each link by when they depart, without those that nobody on the device reads.
/// @param departures  none before the begin of its producer, or behind that of a reader
Lists tensors_by_begin(const Step& step, const Cluster& cluster, const Placement& placement,
                       const std::vector<Departure>& departures);

}  // namespace dlrun::placement
