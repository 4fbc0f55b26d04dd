// SPDX-License-Identifier: Apache-2.0
#include "placement/pipelined.hpp"

namespace dlrun::placement {

std::optional<Outcome> Pipelined::outcome(const Placement& placement, PipelineSchedule schedule) const {
  const std::vector<int> stages = stages_of(graph_, placement, cluster_.size());
  if (stages.empty()) return std::nullopt;
  return outcome_of(step_, cluster_, placement, {scheduled(graph_, parts_, placement, stages, schedule)});
}

}  // namespace dlrun::placement
