// SPDX-License-Identifier: Apache-2.0
#include "executor/workload.hpp"

#include <fmt/format.h>

namespace dlrun::executor {

std::optional<Ending> Workload::overrun(const HubOptions& options, Time last_heard, Time now) const {
  using Seconds = std::chrono::duration<double>;
  if (attempts_.empty()) return std::nullopt;
  const double limit = options.setup.time_limit;
  if (limit > 0 && Seconds(now - piece_began_).count() > limit + options.overtime) {
    return Ending{trial::Cause::timeout,
                  fmt::format("took longer than its limit of {:g} s and did not stop when asked", limit)};
  }
  const double hang = options.hang_seconds;
  if (hang > 0 && Seconds(last_heard - last_step_).count() > hang) {
    return Ending{trial::Cause::timeout, fmt::format("hangs: no step for {:g} s", hang)};
  }
  return std::nullopt;
}

}  // namespace dlrun::executor
