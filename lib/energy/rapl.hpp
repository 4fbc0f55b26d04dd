// SPDX-License-Identifier: Apache-2.0
// Running average power limit: counters of CPU packages and memory that Linux shows below /sys/class/powercap, of
// Intel's processors and AMD's alike (Documentation/power/powercap/powercap.rst of the kernel).
#pragma once
#include <filesystem>

#include "energy/counters.hpp"

namespace dlrun::energy {

/// $DLRUN_POWERCAP, else /sys/class/powercap.
std::filesystem::path powercap_folder();

/// Zones `intel-rapl:N` that are packages, and their `dram`. Cores and the graphics inside of a package are part of it,
/// `psys` is more than it, and `intel-rapl-mmio` the same once more: none of these is counted.
/// @param claims  takes a lock (flock) on each counter until it is closed: of two drivers on one machine the first
///                counts, and no joule is counted twice
Counters open_rapl(const std::filesystem::path& folder, bool claims);

}  // namespace dlrun::energy
