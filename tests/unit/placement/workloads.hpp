// SPDX-License-Identifier: Apache-2.0
// Random workloads, and the best of all splits by trying each one.
#pragma once
#include <algorithm>
#include <cmath>

#include "placement/pipeline.hpp"
#include "util/random.hpp"

namespace dlrun::placement {

/// A random workload: edges from earlier to later items, some items in one class with the one before.
inline Json random_json(std::uint64_t seed, int items, int accelerators) {
  RandomStream chance(seed, {"workload"});
  Json json = {{"maxFPGAs", accelerators}, {"maxCPUs", 0}, {"maxSizePerFPGA", 1e9}};
  json["edges"] = Json::array();
  std::vector<double> cost;
  for (int i = 0; i < items; ++i) {
    json["nodes"].push_back(
        {{"id", i}, {"fpgaLatency", 1 + double(chance.below(9))}, {"cpuLatency", 99}, {"size", 1}, {"colorClass", i}});
    cost.push_back(double(chance.below(3)));
  }
  for (int from = 0; from < items; ++from) {
    for (int to = from + 1; to < items; ++to) {
      if (chance.uniform() < 0.3)
        json["edges"].push_back({{"sourceId", from}, {"destId", to}, {"cost", cost[std::size_t(from)]}});
    }
  }
  return json;
}

/// Seconds, on accelerators alone.
inline double least_of_all(const Workload& work) {
  double least = 1e9;
  const auto classes = work.classes.size();
  for (int code = 0; code < int(std::pow(work.accelerators, double(classes))); ++code) {
    Split split;
    for (int rest = code, i = 0; i < int(classes); ++i, rest /= work.accelerators)
      split.push_back(rest % work.accelerators);
    least = std::min(least, largest_load(work, split));
  }
  return least;
}

}  // namespace dlrun::placement
