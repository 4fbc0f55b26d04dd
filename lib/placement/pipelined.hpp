// SPDX-License-Identifier: Apache-2.0
// Steps of placements whose devices compute microbatches as stages of a pipeline.
#pragma once
#include <optional>

#include "placement/schedules.hpp"

namespace dlrun::placement {

class Pipelined {
 public:
  /// Both must outlive it.
  /// @param graph  costs of a whole step    @param parts  microbatches
  Pipelined(const Graph& graph, const Cluster& cluster, int parts)
      : graph_(graph), cluster_(cluster), parts_(parts), step_(training_step(graph, parts)) {}

  const Step& step() const { return step_; }
  /// None if devices would wait for each other, because an edge leads back to an earlier stage.
  std::optional<Outcome> outcome(const Placement& placement, PipelineSchedule schedule) const;

 private:
  const Graph& graph_;
  const Cluster& cluster_;
  int parts_;
  Step step_;
};

}  // namespace dlrun::placement
