// SPDX-License-Identifier: Apache-2.0
#include "driver/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace dlrun::driver {

namespace {

int cores_by_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// Quota over period; a large number where there is none.
double quota(const std::string& quota_file, const std::string& period_file) {
  std::ifstream file(quota_file);
  std::string allowed;
  double period = 0;
  file >> allowed;
  if (period_file.empty()) {
    file >> period;
  } else {
    std::ifstream(period_file) >> period;
  }
  if (allowed.empty() || allowed == "max" || allowed[0] == '-' || period <= 0) return 1e9;
  return std::stod(allowed) / period;
}

double cores_by_quota() {
  double least = 1e9;
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    const std::string group = line.substr(line.rfind(':') + 1);
    if (line.starts_with("0::")) least = std::min(least, quota("/sys/fs/cgroup" + group + "/cpu.max", ""));
    if (line.find(":cpu") == std::string::npos && line.find(",cpu") == std::string::npos) continue;
    for (const std::string& folder : {"/sys/fs/cgroup/cpu" + group, std::string("/sys/fs/cgroup/cpu")}) {
      least = std::min(least, quota(folder + "/cpu.cfs_quota_us", folder + "/cpu.cfs_period_us"));
    }
  }
  return least;
}

}  // namespace

int usable_cores() { return std::max(1, static_cast<int>(std::min<double>(cores_by_affinity(), cores_by_quota()))); }

}  // namespace dlrun::driver
