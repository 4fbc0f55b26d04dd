// SPDX-License-Identifier: Apache-2.0
#include "placement/cluster.hpp"

#include "placement/named.hpp"

namespace dlrun::placement {

namespace {

constexpr double kMicro = 1e-6, kGiga = 1e9;

/// The first has the constants of Addanki et al. (Placeto, NeurIPS 2019), fitted to eight K80 of a p2.8xlarge; the
/// others are what such links are said to carry. Between threads of one process nothing is copied, and one waits for
/// the other to wake up.
const std::vector<Link>& links() {
  static const std::vector<Link> all = {
      {"placeto-k80", 0, 7.6 * kGiga, 25 * kMicro, true},
      {"pcie3", 10 * kMicro, 12 * kGiga},
      {"pcie4", 8 * kMicro, 24 * kGiga},
      {"nvlink3", 5 * kMicro, 250 * kGiga},
      {"eth10", 50 * kMicro, 1.1 * kGiga},
      {"threads", 20 * kMicro, 1000 * kGiga},
  };
  return all;
}

constexpr double kPlacetoTaskGap = 5.7 * kMicro;

}  // namespace

std::vector<std::string> link_names() { return names_of(links()); }

Cluster equal_devices(int count, const std::string& link, std::int64_t memory) {
  Cluster cluster;
  for (int i = 0; i < count; ++i) cluster.devices.push_back({std::to_string(i), 1, memory});
  cluster.link = named(links(), link, "link");
  if (cluster.link.broadcasts) cluster.task_gap = kPlacetoTaskGap;
  return cluster;
}

}  // namespace dlrun::placement
