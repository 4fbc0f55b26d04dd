// SPDX-License-Identifier: Apache-2.0
// Number of processors that this process may really use.
#pragma once

namespace dlrun::driver {

/// Counts processors by affinity and cgroup quota (versions 1 and 2); at least 1.
int usable_cores();

}  // namespace dlrun::driver
