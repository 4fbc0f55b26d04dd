// SPDX-License-Identifier: Apache-2.0
#include "driver/backoff.hpp"

#include <algorithm>
#include <cmath>

namespace dlrun::driver {

std::chrono::duration<double> wait_before_retry(const spec::RetryDelay& delay, int losses, trial::Cause cause) {
  using trial::Cause;
  const bool is_free = trial::is_free(cause) && cause != Cause::machine;  // a machine's lack may pass, so that waits
  const int doublings = losses - (cause == Cause::worker_lost ? 2 : 1);
  if (is_free || doublings < 0) return std::chrono::duration<double>(0);
  return std::chrono::duration<double>(std::min(std::ldexp(delay.first, doublings), delay.most));
}

}  // namespace dlrun::driver
