// SPDX-License-Identifier: Apache-2.0
#include "driver/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "util/cgroup.hpp"

namespace dlrun::driver {

namespace {

int cores_by_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// Quota over period; a large number where there is none.
double ratio(const std::string& quota, const std::string& period) {
  if (quota.empty() || quota == "max" || quota[0] == '-' || period.empty() || period == "0") return 1e9;
  return std::stod(quota) / std::stod(period);
}

double quota_of_version1(const std::filesystem::path& folder) {
  return ratio(first_word(folder / "cpu.cfs_quota_us"), first_word(folder / "cpu.cfs_period_us"));
}

double quota_of_version2(const std::filesystem::path& folder) {
  std::ifstream file(folder / "cpu.max");
  std::string quota, period;
  file >> quota >> period;
  return ratio(quota, period);
}

double cores_by_quota() {
  const auto group = own_cgroup("cpu");
  if (!group) return 1e9;
  if (group->version == 2) return quota_of_version2(group->folder);
  return std::min(quota_of_version1(group->folder), quota_of_version1("/sys/fs/cgroup/cpu"));
}

}  // namespace

int usable_cores() { return std::max(1, static_cast<int>(std::min<double>(cores_by_affinity(), cores_by_quota()))); }

}  // namespace dlrun::driver
