// SPDX-License-Identifier: Apache-2.0
#include "placement/cluster.hpp"

#include <algorithm>

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

const Link& link_named(const std::string& name) { return named(links(), name, "link"); }

void Cluster::set_link(const Link& between_all) {
  link = between_all;
  task_gap = link.broadcasts ? kPlacetoTaskGap : 0;
}

Cluster equal_devices(int count, const std::string& link, std::int64_t memory) {
  Cluster cluster;
  for (int i = 0; i < count; ++i) cluster.devices.push_back({std::to_string(i), 1, memory});
  cluster.set_link(link_named(link));
  return cluster;
}

const Link& Cluster::between(int a, int b) const {
  if (pairs.empty()) return link;
  const auto found = pairs.find(std::minmax(a, b));
  return found == pairs.end() ? link : found->second;
}

Link Cluster::mean_link() const {
  if (pairs.empty()) return link;
  Link mean{"mean", 0, 0, link.gap};
  const double count = size() * (size() - 1) / 2.0;
  double seconds_per_byte = 0;
  for (int a = 0; a < size(); ++a) {
    for (int b = a + 1; b < size(); ++b) {
      mean.latency += between(a, b).latency;
      seconds_per_byte += 1 / between(a, b).bandwidth;
    }
  }
  mean.latency /= count;
  mean.bandwidth = count / seconds_per_byte;
  return mean;
}

bool Cluster::are_alike(int a, int b) const {
  const Device &one = devices[std::size_t(a)], &two = devices[std::size_t(b)];
  bool is_alike = one.speed == two.speed && one.memory == two.memory;
  for (int other = 0; other < size() && !pairs.empty(); ++other)
    is_alike &= other == a || other == b || between(a, other).is_as_fast_as(between(b, other));
  return is_alike;
}

bool Cluster::has_equal_devices() const {
  for (int device = 1; device < size(); ++device) {
    if (!are_alike(0, device)) return false;
  }
  return true;
}

bool Cluster::has_equal_speeds() const {
  return std::all_of(devices.begin(), devices.end(),
                     [&](const Device& device) { return device.speed == devices.front().speed; });
}

}  // namespace dlrun::placement
