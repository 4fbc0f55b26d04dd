// SPDX-License-Identifier: Apache-2.0
// Devices and the links between them.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "placement/graph.hpp"

namespace dlrun::placement {

struct Device {
  std::string name;
  double speed = 1;         ///< a task takes its seconds divided by this
  std::int64_t memory = 0;  ///< bytes; 0: no limit
};

/// How tensors travel between two devices.
struct Link {
  std::string name;
  double latency = 0;       ///< seconds from a tensor's start to its first byte
  double bandwidth = 0;     ///< bytes per second
  double gap = 0;           ///< seconds after a tensor in which the link sends nothing
  bool broadcasts = false;  ///< one transfer serves all devices, from one outgoing link of each device

  /// Seconds from a tensor's start to its arrival.
  double seconds(std::int64_t bytes) const { return latency + double(bytes) / bandwidth; }
  bool is_as_fast_as(const Link& other) const {
    return latency == other.latency && bandwidth == other.bandwidth && gap == other.gap;
  }
};

struct Cluster {
  std::vector<Device> devices;
  Link link;                                  ///< between two devices that `pairs` does not have
  std::map<std::pair<int, int>, Link> pairs;  ///< the lower device first; empty where the link broadcasts
  double task_gap = 0;                        ///< seconds after a task in which a device computes nothing

  int size() const { return int(devices.size()); }
  /// How many links there are, by number: one for each pair of devices and direction, or one a device that serves all.
  int links() const { return link.broadcasts ? size() : size() * size(); }
  /// @param to  any where the link broadcasts
  int link_number(int from, int to) const { return link.broadcasts ? from : from * size() + to; }
  /// Also sets `task_gap`, as the link's simulator has it.
  void set_link(const Link& between_all);
  /// Both directions are alike.
  const Link& between(int a, int b) const;
  /// Mean latency, and the bandwidth of a mean time, over all pairs of devices.
  Link mean_link() const;
  /// Whether nothing changes but names where the two are exchanged.
  bool are_alike(int a, int b) const;
  /// Whether all devices are alike.
  bool has_equal_devices() const;
  bool has_equal_speeds() const;
};

/// `count` equal devices "0", "1", …
/// @param link    see link_names()
/// @param memory  bytes of each, 0: no limit
/// @throws Error(usage) with the nearest known link
Cluster equal_devices(int count, const std::string& link, std::int64_t memory = 0);

std::vector<std::string> link_names();
/// @throws Error(usage) with the nearest known link
const Link& link_named(const std::string& name);

}  // namespace dlrun::placement
