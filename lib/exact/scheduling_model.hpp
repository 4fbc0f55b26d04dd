// SPDX-License-Identifier: Apache-2.0
// The least seconds of a step as a problem of constraints: where each node is, when each task and each transfer begins.
#pragma once
#include "cpsat/model.hpp"
#include "placement/simulator.hpp"

namespace dlrun::exact {

using placement::Cluster;
using placement::Placement;
using placement::Step;

/// A model and what its variables mean.
///
/// Devices compute one task at a time and links carry one tensor at a time, in any order, while the simulator takes
/// what could begin first. So every simulated step is a solution, and no placement's simulated step is shorter than
/// the least solution; the other way round it may be. Times are whole ticks, and seconds are rounded down to them,
/// which keeps the bound one. Of memory the parameters count alone.
struct SchedulingModel {
  cpsat::Model model;
  std::vector<std::vector<cpsat::Literal>> is_on;  ///< for each node and device
  double tick = 0;                                 ///< seconds

  Placement placement_of(const std::vector<std::int64_t>& values) const;
};

/// Steps of `least` to `most` seconds; the solver begins with `known`.
/// REQUIRES: most > 0, and groups that are together in `known`.
SchedulingModel scheduling_model(const Step& step, const Cluster& cluster, const Placement& known, double most,
                                 double least = 0);

}  // namespace dlrun::exact
