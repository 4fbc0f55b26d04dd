// SPDX-License-Identifier: Apache-2.0
// Tasks of devices through which the batches of a step pass one behind the other.
#pragma once
#include <cstddef>
#include <vector>

namespace dlrun::model {

enum class PipelineWork { forward, backward, loss };

/// A layer's forward or backward of one of the batches, or the batch's loss.
struct PipelineTask {
  PipelineWork work = PipelineWork::forward;
  std::size_t batch = 0;
  std::size_t layer = 0;  ///< place in graph.nodes; a loss has none
};

/// Each device's tasks, in the order in which it computes them.
using PipelineTasks = std::vector<std::vector<PipelineTask>>;

}  // namespace dlrun::model
