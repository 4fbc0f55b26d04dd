// SPDX-License-Identifier: Apache-2.0
#include "placement/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "placement/ranks.hpp"

namespace dlrun::placement {

Evaluator::Evaluator(const Step& step, const Cluster& cluster, std::int64_t most)
    : step_(step), cluster_(cluster), simulator_(step, cluster), has_groups_(step.has_groups()), most_(most) {
  has_limits_ = std::any_of(cluster.devices.begin(), cluster.devices.end(),
                            [](const Device& device) { return device.memory > 0; });
}

void Evaluator::begin_anew() {
  best_.clear();
  best_turns_ = {};
  best_cost_ = {};
  serve_by(Discipline::first_come);
}

void Evaluator::serve_by(Discipline discipline) {
  discipline_ = discipline;
  if (discipline == Discipline::first_come) return simulator_.prefer({});
  simulator_.prefer(upward_ranks(step_, cluster_));
}

Cost Evaluator::cost(const Placement& placement) {
  ++tried_;
  if (!has_groups_) return keep(placement);
  return keep(together(placement));
}

Cost Evaluator::cost(const Placement& placement, const Turns& turns) {
  ++tried_;
  simulator_.follow(turns);
  const Cost cost = keep(placement, turns);
  simulator_.follow({});
  return cost;
}

Placement Evaluator::together(Placement placement) const {
  for (std::size_t node = 0; node < placement.size(); ++node)
    placement[node] = placement[std::size_t(step_.leader(int(node)))];
  return placement;
}

void Evaluator::move(Placement& placement, int node, int device) const {
  placement[std::size_t(node)] = device;
  for (int other = 0; has_groups_ && other < step_.nodes(); ++other) {
    if (step_.leader(other) == step_.leader(node)) placement[std::size_t(other)] = device;
  }
}

std::vector<int> Evaluator::deciding(const std::vector<int>& order) const {
  std::vector<int> first;
  std::copy_if(order.begin(), order.end(), std::back_inserter(first),
               [&](int node) { return step_.leader(node) == node; });
  return first;
}

Cost Evaluator::keep(const Placement& placement, const Turns& turns) {
  const Cost cost = simulated(placement);
  if (best_.empty() || cost < best_cost_) {
    best_ = placement;
    best_turns_ = turns.tasks.empty() ? taken_turns(placement) : turns;
    best_cost_ = cost;
  }
  return cost;
}

/// Turns that devices have taken in the last step, if not as tasks came.
Turns Evaluator::taken_turns(const Placement& placement) const {
  if (discipline_ == Discipline::first_come) return {};
  Turns turns{Lists(std::size_t(cluster_.size()))};
  for (const int task : simulator_.begun()) turns.tasks[std::size_t(device_of(step_, placement, task))].push_back(task);
  return turns;
}

Cost Evaluator::simulated(const Placement& placement) {
  if (!has_limits_) return {0, simulator_.seconds(placement)};
  const Outcome outcome = simulator_.outcome(placement);
  Cost cost{0, outcome.seconds};
  if (std::isinf(outcome.seconds)) cost.excess = outcome.seconds;  // whatever bytes it would hold
  cost.excess += excess_of(outcome, cluster_);
  return cost;
}

double excess_of(const Outcome& outcome, const Cluster& cluster) {
  double excess = 0;
  for (std::size_t device = 0; device < outcome.peak.size(); ++device) {
    const std::int64_t memory = cluster.devices[device].memory;
    if (memory > 0) excess += std::max(0.0, double(outcome.peak[device]) / double(memory) - 1);
  }
  return excess;
}

bool is_on_one_device(const Placement& placement) {
  return std::all_of(placement.begin(), placement.end(), [&](int device) { return device == placement.front(); });
}

}  // namespace dlrun::placement
