// SPDX-License-Identifier: Apache-2.0
// A pipeline's work, as Tarnawski et al. (NeurIPS 2020) describe it: batches follow each other without a break, so the
// device with the largest load decides how many are done in a second.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "placement/graph.hpp"

namespace dlrun::placement {

/// Nodes that stay together on one device.
struct Class {
  std::vector<int> members;
};

struct Item {
  std::string name;
  double accelerated = 0;  ///< seconds on an accelerator
  double on_cpu = 0;       ///< seconds on a processor
  double transfer = 0;     ///< seconds to take its output to or from an accelerator
  double bytes = 0;
  bool is_backward = false;
  bool can_be_accelerated = true;
};

struct Workload {
  std::vector<Item> items;
  std::vector<Edge> edges;
  std::vector<Class> classes;  ///< by their first item
  std::vector<int> class_of;   ///< each item's
  int accelerators = 0, cpus = 0;
  double memory = 0;  ///< bytes of an accelerator
};

/// Reads the JSON of dnn-partitioning's throughput inputs: `nodes` (id, fpgaLatency and cpuLatency in milliseconds,
/// size, colorClass), `edges` (sourceId, destId, cost in milliseconds), maxFPGAs, maxCPUs, maxSizePerFPGA.
/// @throws Error(usage) for what is missing, or an edge to a node that there is not
Workload read_workload(const Json& json);

/// Whether a file is one.
bool is_workload(const Json& json);

/// Classes so that each stands behind those whose forward items it reads.
/// @param is_level  by generations; else depth first
std::vector<int> class_order(const Workload& work, bool is_level);

}  // namespace dlrun::placement
