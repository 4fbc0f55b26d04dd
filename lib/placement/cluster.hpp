// SPDX-License-Identifier: Apache-2.0
// Devices and the links between them.
#pragma once
#include <string>
#include <vector>

#include "placement/graph.hpp"

namespace dlrun::placement {

struct Device {
  std::string name;
  double speed = 1;         ///< a task takes its seconds divided by this
  std::int64_t memory = 0;  ///< bytes; 0: no limit
};

/// How tensors travel between any two devices.
struct Link {
  std::string name;
  double latency = 0;       ///< seconds from a tensor's start to its first byte
  double bandwidth = 0;     ///< bytes per second
  double gap = 0;           ///< seconds after a tensor in which the link sends nothing
  bool broadcasts = false;  ///< one transfer serves all devices, from one outgoing link of each device
};

struct Cluster {
  std::vector<Device> devices;
  Link link;
  double task_gap = 0;  ///< seconds after a task in which a device computes nothing

  int size() const { return int(devices.size()); }
};

/// `count` equal devices "0", "1", …
/// @param link    see link_names()
/// @param memory  bytes of each, 0: no limit
/// @throws Error(usage) with the nearest known link
Cluster equal_devices(int count, const std::string& link, std::int64_t memory = 0);

std::vector<std::string> link_names();

}  // namespace dlrun::placement
