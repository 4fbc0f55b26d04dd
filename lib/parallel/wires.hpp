// SPDX-License-Identifier: Apache-2.0
// When messages arrive. Every host has one network card, whose two directions carry one message after the other.
#pragma once
#include <algorithm>
#include <vector>

#include "parallel/cluster.hpp"
#include "parallel/env.hpp"

namespace dlrun::parallel {

class Wires {
 public:
  Wires(const ClusterConfig& config, const Gang& gang)
      : config_(config),
        ranks_(gang.ranks),
        hosts_((gang.ranks - 1) / config.ranks_per_host + 1),
        out_free_(std::size_t(hosts_)),
        in_free_(std::size_t(hosts_)) {}

  /// @return seconds
  double arrival(double now, int from, int to, double bytes) {
    const std::size_t a = host_of(from), b = host_of(to);
    if (a == b) return now + bytes / (config_.bus_gbyte * 1e9);
    const double duration = bytes * 8 / (config_.bandwidth_gbit * 1e9), latency = config_.latency_us * 1e-6;
    const double begin = std::max(now, out_free_[a]);
    out_free_[a] = begin + duration;
    in_free_[b] = std::max(begin + latency, in_free_[b]) + duration;
    return in_free_[b];
  }

 private:
  /// Servers are spread over the hosts of the ranks.
  std::size_t host_of(int node) const {
    return std::size_t(node < ranks_ ? node / config_.ranks_per_host : (node - ranks_) % hosts_);
  }

  ClusterConfig config_;
  int ranks_, hosts_;
  std::vector<double> out_free_, in_free_;  ///< when each card's directions are free again
};

}  // namespace dlrun::parallel
