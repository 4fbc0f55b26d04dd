// SPDX-License-Identifier: Apache-2.0
// How many processors this process may really use.
#pragma once

namespace dlrun::driver {

/// By affinity and cgroup quota (version 1 and 2), at least 1.
int usable_cores();

}  // namespace dlrun::driver
