// SPDX-License-Identifier: Apache-2.0
// The least seconds of a step as a problem of constraints: where each node is, when each task and each transfer begins.
#pragma once
#include "cpsat/model.hpp"
#include "placement/turns.hpp"

namespace dlrun::exact {

using placement::Cluster;
using placement::Placement;
using placement::Step;
using placement::Turns;

/// A model and what its variables mean.
///
/// Devices compute one task at a time and links carry one tensor at a time, in any order. So every simulated step is a
/// solution, whatever turns are taken, and none is shorter than the least solution; one that takes a solution's turns
/// is longer by fractions of ticks alone, or where tasks and tensors without seconds wait for others. Times are whole
/// ticks, and seconds are rounded down to them, which keeps the bound one. Of memory the parameters count alone.
struct SchedulingModel {
  cpsat::Model model;
  std::vector<std::vector<cpsat::Literal>> is_on;  ///< for each node and device
  double tick = 0;                                 ///< seconds
  std::vector<cpsat::Variable> begins;             ///< each task's
  /// A transfer to a device; it takes place where a reader is there, and the producer is not.
  struct Travel {
    int tensor = 0;
    int to = 0;  ///< device, or any: the only other one, or all of them at once
    cpsat::Variable begin = 0;
  };
  std::vector<Travel> travels;

  Placement placement_of(const std::vector<std::int64_t>& values) const;
};

/// Steps of `least` to `most` seconds; the solver begins with `known`, whose devices and links take `turns`.
/// REQUIRES: most > 0, and groups that are together in `known`.
SchedulingModel scheduling_model(const Step& step, const Cluster& cluster, const Placement& known, double most,
                                 double least = 0, const Turns& turns = {});

}  // namespace dlrun::exact
