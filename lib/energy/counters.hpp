// SPDX-License-Identifier: Apache-2.0
// Counters of energy that can be read on this machine, and why others cannot.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "energy/counter.hpp"

namespace dlrun::energy {

/// The counters that can be read, and why others cannot.
struct Counters {
  std::vector<std::unique_ptr<Counter>> counters;
  std::string reason;  ///< empty: all that is there can be read

  /// Notes why a counter cannot be read; the first reason is kept.
  void miss(const std::string& why) {
    if (reason.empty()) reason = why;
  }
};

/// All counters of CPU, memory and these GPUs, claimed for one driver (open_rapl, open_nvml).
std::vector<std::unique_ptr<Counter>> open_counters(const std::vector<std::string>& gpus);

}  // namespace dlrun::energy
