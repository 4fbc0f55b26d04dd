// SPDX-License-Identifier: Apache-2.0
// How often the kernel's OOM killer struck in our memory cgroup: SIGKILL alone does not say who sent it.
#pragma once
#include <cstdint>

namespace dlrun::executor {

/// Reads memory.events (cgroup 2) or memory.oom_control (cgroup 1); 0 where neither is there.
std::int64_t oom_kills();

}  // namespace dlrun::executor
