// SPDX-License-Identifier: Apache-2.0
// A property as a loop over seeds, where a case costs too much to be shrunk. DLRUN_SEEDS=17 runs 17 times as many.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <functional>

#include "support/catch.hpp"

namespace dlrun::test {

/// Calls `law` for the seeds from 0, which a failure names.
inline void for_seeds(std::uint64_t count, const std::function<void(std::uint64_t seed)>& law) {
  const char* factor = std::getenv("DLRUN_SEEDS");
  if (factor) count *= std::strtoull(factor, nullptr, 10);
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    INFO("seed " << seed);
    law(seed);
  }
}

}  // namespace dlrun::test
