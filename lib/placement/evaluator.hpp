// SPDX-License-Identifier: Apache-2.0
// Attempts of placers: each placement is simulated, counted, and the best one kept.
#pragma once
#include <compare>
#include <cstdint>

#include "placement/simulator.hpp"

namespace dlrun::placement {

/// Less is better: whatever fits in memory is better than what does not.
struct Cost {
  double excess = 0;   ///< as excess_of()
  double seconds = 0;  ///< a step takes
  auto operator<=>(const Cost&) const = default;
};

/// Bytes over the memory of each device, as shares of it, summed.
double excess_of(const Outcome& outcome, const Cluster& cluster);

/// The task that a device computes next, of those that could begin.
enum class Discipline {
  first_come,   ///< the one that could begin first
  longest_way,  ///< the one with the longest way to the end of the step
};

/// Whether one device computes all.
bool is_on_one_device(const Placement& placement);

class Evaluator {
 public:
  /// Both must outlive the evaluator.
  /// @param most  placements that are tried at most
  Evaluator(const Step& step, const Cluster& cluster, std::int64_t most);

  /// How devices take their tasks from now on; first come, first served until then and after begin_anew().
  void serve_by(Discipline discipline);

  /// Cost of the placement in which each node is where the first of its group is, which is also the one that is kept.
  Cost cost(const Placement& placement);
  /// Cost where devices and links take turns. Beside a placement that costs the same the earlier one is kept.
  /// REQUIRES: groups that are together, and turns as Simulator::follow() needs them.
  Cost cost(const Placement& placement, const Turns& turns);
  /// Places a node and its group.
  void move(Placement& placement, int node, int device) const;
  /// The order without nodes that follow the first of their group.
  std::vector<int> deciding(const std::vector<int>& order) const;
  /// Seconds at which each task began, of the placement that was tried last.
  const std::vector<double>& begins() const { return simulator_.begins(); }
  bool is_spent() const { return tried_ >= most_; }
  /// Allows so many more.
  void allow(std::int64_t more) { most_ = tried_ + more; }
  std::int64_t tried() const { return tried_; }
  std::int64_t left() const { return most_ - tried_; }

  /// Forgets the best placement, so that another placer begins with none.
  void begin_anew();
  bool has_best() const { return !best_.empty(); }
  const Placement& best() const { return best_; }
  /// With which the best placement was tried.
  const Turns& best_turns() const { return best_turns_; }
  const Cost& best_cost() const { return best_cost_; }

  const Step& step() const { return step_; }
  const Cluster& cluster() const { return cluster_; }

 private:
  Placement together(Placement placement) const;
  Cost keep(const Placement& placement, const Turns& turns = {});
  Turns taken_turns(const Placement& placement) const;
  Cost simulated(const Placement& placement);

  const Step& step_;
  const Cluster& cluster_;
  Simulator simulator_;
  Discipline discipline_ = Discipline::first_come;
  bool has_limits_ = false, has_groups_ = false;
  std::int64_t most_ = 0, tried_ = 0;
  Placement best_;
  Turns best_turns_;
  Cost best_cost_;
};

}  // namespace dlrun::placement
