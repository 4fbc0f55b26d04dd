// SPDX-License-Identifier: Apache-2.0
// Numbers that a policy sees when it decides on a node. Those of Placeto (Addanki et al. 2019) are cost, size, start
// and device of the node; instead of its graph network there are sums over the node's parents, children and all
// devices.
#pragma once
#include "placement/network.hpp"
#include "placement/orders.hpp"
#include "placement/simulator.hpp"

namespace dlrun::placement {

/// The last placement that was simulated.
struct Simulated {
  const Placement& placement;
  const std::vector<double>& begins;  ///< seconds at which each task began
  double seconds = 0;                 ///< the step's
};

class Observations {
 public:
  using Vector = Network::Vector;

  /// `graph` must outlive it.
  Observations(const Graph& graph, int devices);

  int size() const;  ///< numbers of one

  /// No node is decided.
  void begin(const Placement& placement);
  /// Numbers that are seen before the node is decided, most of them between 0 and 1.
  Vector of(int node, const Simulated& last) const;
  void decide(int node, int before, int device);

 private:
  Vector of_neighbours(const std::vector<int>& neighbours, int node, const Simulated& last) const;
  Vector of_devices() const;
  double work_of(int node) const;

  const Graph& graph_;
  Lists parents_, children_;
  int devices_;
  double work_ = 0, most_work_ = 0, most_bytes_ = 0;
  std::vector<char> is_decided_;
  int count_ = 0;                            ///< nodes that are decided
  std::vector<double> decided_, undecided_;  ///< work on each device
};

}  // namespace dlrun::placement
